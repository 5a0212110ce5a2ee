import type { Connection, List } from './read-pages.js';

/** The effect of changes, with the members that this program reads. */

export interface Pair {
  readonly identityName: string | null;
  readonly serviceName: string | null;
}

interface Role {
  readonly role: string;
}

interface GrantingPath {
  readonly policyId: string;
  readonly policyName: string | null;
  readonly identityRoles: readonly Role[];
  readonly serviceRoles: readonly Role[];
}

export interface Gained extends Pair {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: string;
  readonly paths: readonly GrantingPath[];
}

export interface Reach extends Partial<Pair> {
  readonly identityId?: string;
  readonly serviceId?: string;
  readonly routerId?: string;
  readonly routerName?: string | null;
}

export interface Finding {
  readonly id: string;
  readonly kind: string;
  readonly severity: string;
  readonly text: string;
  readonly entities: readonly {
    readonly kind: string;
    readonly id: string;
    readonly name: string | null;
  }[];
  /** How many pairs its changes give access to. */
  readonly gained: number;
  /** Null of one that is not muted. */
  readonly mute: {
    readonly reason: string;
    readonly mutedUntil: string | null;
    readonly mutedBy: { readonly id: string; readonly name: string } | null;
  } | null;
}

type Violation = Gained & { readonly ruleId: string; readonly ruleName: string };

interface Both<T> {
  readonly gained: T;
  readonly lost: T;
}

export interface Simulation extends Both<List<Gained>> {
  readonly identityRouters: Both<List<Reach>>;
  readonly serviceRouters: Both<List<Reach>>;
  readonly sharedRouters: Both<List<Reach>>;
  readonly violations: readonly Violation[];
  readonly violatedRules: readonly Violation[];
  readonly endedSessions: List<unknown>;
  readonly findings: {
    readonly appearedCount: number;
    readonly appeared: readonly Finding[];
    readonly vanishedCount: number;
    readonly vanished: readonly Finding[];
  };
}

/** Asks for a part of the answer. */
export type Ask = (selection: string) => Promise<Partial<Simulation>>;

export const GRANT =
  'identityId identityName serviceId serviceName type paths { policyId policyName semantic identityRoles { kind role } serviceRoles { kind role } }';

type Group = 'identityRouters' | 'serviceRouters' | 'sharedRouters';

/** The members of the lists of pairs; the lists of access come first. */
const GROUPS: readonly (readonly [group: Group | undefined, fields: string])[] = [
  [undefined, GRANT],
  ['identityRouters', 'identityId identityName routerId routerName'],
  ['serviceRouters', 'serviceId serviceName routerId routerName'],
  ['sharedRouters', 'identityId identityName serviceId serviceName'],
];

const SIDES = ['gained', 'lost'] as const;

/** As the graph has them. */
export const FINDING =
  'id: findingId kind severity text entities { kind id: entityId name } entityCount side about similarTo gained lost changes { operation type id: entityId input gained lost } mute { reason mutedUntil mutedBy { id name } }';

const VIOLATION = '{ ruleId ruleName identityId identityName serviceId serviceName type }';
const OTHERS = `violations ${VIOLATION} violatedRules ${VIOLATION}
  endedSessions { totalCount nodes { id apiSessionId identityId serviceId type } }
  findings { appearedCount appeared { ${FINDING} } vanishedCount vanished { ${FINDING} } }`;

const FEW = 25;
const MANY = 500;

/** The first of each list, or all of it, with everything else. */
export async function readSimulation(ask: Ask, all: boolean): Promise<Simulation> {
  const first = `first: ${String(all ? MANY : FEW)}`;
  const selection = GROUPS.map(([group, fields]) =>
    within(group, SIDES.map((side) => page(side, first, fields)).join(' ')),
  );
  const answer = await ask([...selection, OTHERS].join('\n'));
  const read: Partial<Simulation> = { ...answer };
  for (const [group, fields] of GROUPS) {
    const lists = sidesOf(answer, group);
    for (const side of SIDES) {
      const { totalCount, nodes, pageInfo } = lists[side];
      const askPage = async (after: string): Promise<Connection<unknown>> => {
        const args = `first: ${String(MANY)}, after: ${JSON.stringify(after)}`;
        return sidesOf(await ask(within(group, page(side, args, fields))), group)[side];
      };
      const rest = all ? await following(pageInfo, askPage) : [];
      const list = { totalCount, nodes: [...nodes, ...rest] };
      Object.assign(group === undefined ? read : lists, { [side]: list });
    }
  }
  // All that was asked for is there.
  return read as Simulation;
}

const within = (group: Group | undefined, lists: string): string =>
  group === undefined ? lists : `${group} { ${lists} }`;

const page = (side: string, args: string, fields: string): string =>
  `${side}(${args}) { totalCount nodes { ${fields} } pageInfo { hasNextPage endCursor } }`;

const sidesOf = (answer: Partial<Simulation>, group: Group | undefined) =>
  (group === undefined ? answer : answer[group]) as Both<Connection<unknown>>;

async function following(
  { hasNextPage, endCursor }: Connection<unknown>['pageInfo'],
  askPage: (after: string) => Promise<Connection<unknown>>,
): Promise<unknown[]> {
  const nodes: unknown[] = [];
  let after = hasNextPage ? endCursor : null;
  while (after !== null) {
    const next = await askPage(after);
    nodes.push(...next.nodes);
    after = next.pageInfo.hasNextPage ? next.pageInfo.endCursor : null;
  }
  return nodes;
}
