import type { AccessRule, FindingFacts, RowChange } from '../../../src/access/analysis/index.js';

type Attributes = Record<string, string[] | Assigned>;
/** Of its attributes, only role assignments give those in the second list. */
type Assigned = Record<'attributes' | 'assigned', string[]>;
type Policies = Record<string, Record<string, string | string[]>>;

/**
 * A network as the truth tables write it: attributes by id, policies with their role lists. A service policy whose
 * `force` is `none now` is out of its times, one with `until soon` is in them.
 */
export type TableNetwork = Record<string, Attributes | Policies>;

const SIDES = ['identities', 'services', 'edgeRouters', 'postureChecks'];

export function rowsOf(network: TableNetwork): RowChange[] {
  return Object.entries(network).flatMap(([kind, rows]) =>
    Object.entries(rows).map(([id, row]) => {
      if (Array.isArray(row)) return { kind, id, value: { attributes: row } } as RowChange;
      if ('assigned' in row) return { kind, id, value: row } as unknown as RowChange;
      const { type, semantic, force, ...given } = row as Record<string, string | string[]>;
      const roles = Object.fromEntries(SIDES.map((side) => [side, given[side] ?? []]));
      return {
        kind,
        id,
        value: {
          ...(type && { type }),
          semantic,
          roles,
          ...(force === 'none now' && {
            roles: { identities: [], services: [], postureChecks: [] },
            dormantRoles: roles,
          }),
          ...(force === 'until soon' && { endsByItself: true }),
        },
      } as unknown as RowChange;
    }),
  );
}

/** The id of a request by an offer for emergencies, and that of its identity. */
type TableUse = [id: string, identityId: string];

const usesIn = (uses: readonly TableUse[] = []): FindingFacts['emergencyUses'] =>
  uses.map(([id, identityId]) => ({
    ...{ id, identityId, identityName: identityId },
    ...{ offerName: 'fire', roleAttribute: 'on-call' },
  }));

/** An identity with the attributes that assignments give it in a week, and when the first of its assignments ends. */
type TableComing = [identityId: string, attributes: string[], firstEnd: string | null];

const comingIn = (coming: readonly TableComing[] = []): FindingFacts['comingAttributes'] =>
  coming.map(([identityId, attributes, firstEnd]) => ({
    ...{ identityId, attributes },
    firstEnd: firstEnd === null ? null : new Date(firstEnd),
  }));

/** A service policy with the hours from now at which it begins and ends; in force if it has begun. */
type TableComingPolicy = [id: string, from: number | null, until: number | null];

const WEEK_HOURS = 168;

const policiesIn = (coming: readonly TableComingPolicy[] = []): FindingFacts['comingPolicies'] =>
  coming.map(([id, from, until]) => {
    const [validFrom, validUntil] = [timeIn(from), timeIn(until)];
    return {
      ...{ id, validFrom, validUntil, weeklyWindows: [], timeZone: null },
      isInForce: from === null,
      nextChangeAt: validFrom ?? validUntil ?? new Date(0),
      isLastEnd: until !== null && until <= WEEK_HOURS,
    };
  });

/** An identity with the hours from now at which its time is over. */
type TableEnding = [id: string, until: number];

const endsIn = (ending: readonly TableEnding[] = []): FindingFacts['endingIdentities'] =>
  ending.map(([id, until]) => ({ id, validUntil: timeIn(until) ?? new Date(0) }));

const timeIn = (hours: number | null): Date | null =>
  hours === null ? null : new Date(Date.UTC(2030, 0, 1, hours));

/** The facts of a truth table about findings; an absent member has none. */
export interface TableFacts {
  readonly terminators?: string[];
  readonly unverified?: [string, number][];
  readonly admins?: string[];
  readonly emergencies?: TableUse[];
  readonly coming?: TableComing[];
  readonly comingPolicies?: TableComingPolicy[];
  readonly endingIdentities?: TableEnding[];
  readonly rules?: AccessRule[];
  /** Kind and id of what nobody may change. */
  readonly system?: string[];
}

export const factsIn = (given: TableFacts): FindingFacts => ({
  hasTerminators: (id) => given.terminators?.includes(id) ?? false,
  unverifiedAuthorities: (given.unverified ?? []).map(([id, uses]) => ({ id, uses })),
  adminsWithoutSecondFactor: given.admins ?? [],
  emergencyUses: usesIn(given.emergencies),
  comingAttributes: comingIn(given.coming),
  comingPolicies: policiesIn(given.comingPolicies),
  endingIdentities: endsIn(given.endingIdentities),
  accessRules: given.rules ?? [],
  isSystem: (kind, id) => given.system?.includes(`${kind} ${id}`) ?? false,
});
