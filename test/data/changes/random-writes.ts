import fc from 'fast-check';
import { sql } from '../../../src/base/sql.js';
import { change, create, remove } from '../../../src/kernel/write/write.js';
import type { Row } from '../../../src/base/row.js';
import type { PolicyChange } from '../../../src/kernel/policy/index.js';
import { allPairs } from '../../access/analysis/random-network.js';
import { Network } from '../../kernel/policy/network.js';
import { settledChange } from '../../support/settled-change.js';
import type { InProcess } from '../../support/in-process.js';

/* Random writes by the pipeline, and who reaches what by the tables alone. */

export type Pair = readonly [identityId: string, serviceId: string, type: string];

/** What the network was when a change was the last one. */
export interface Moment {
  /** Id of the change. */
  readonly id: string;
  readonly pairs: readonly Pair[];
}

const ENTITIES = ['Identity', 'Service', 'EdgeRouter', 'PostureCheck'] as const;
const POLICIES = ['ServicePolicy', 'EdgeRouterPolicy', 'ServiceEdgeRouterPolicy'] as const;
type Name = (typeof ENTITIES)[number] | (typeof POLICIES)[number];

export interface RandomWrite {
  readonly resource: Name;
  readonly operation: 'create' | 'update' | 'delete';
  /** Which of those that there are. */
  readonly which: number;
  readonly attributes: readonly string[];
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly type: 'Dial' | 'Bind';
  /** Of both sides: attributes, `#all`, or a number for one of the entities there. */
  readonly roles: readonly [readonly (string | number)[], readonly (string | number)[]];
}

const ATTRIBUTES = ['a', 'b', 'c'];
const side = fc.oneof(
  { weight: 1, arbitrary: fc.constant(['#all']) },
  {
    weight: 6,
    arbitrary: fc.array(fc.oneof(fc.constantFrom(...ATTRIBUTES.map((a) => `#${a}`)), fc.nat(5)), {
      minLength: 1,
      maxLength: 3,
    }),
  },
);

/** Mostly of what decides on access. */
const resource: fc.Arbitrary<Name> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('Identity' as const) },
  { weight: 3, arbitrary: fc.constant('Service' as const) },
  { weight: 6, arbitrary: fc.constant('ServicePolicy' as const) },
  { weight: 1, arbitrary: fc.constantFrom(...ENTITIES) },
  { weight: 1, arbitrary: fc.constantFrom(...POLICIES) },
);

export const randomWrites = (length: number): fc.Arbitrary<RandomWrite[]> =>
  fc.array(
    fc.record({
      resource,
      operation: fc.constantFrom('create', 'create', 'update', 'update', 'delete'),
      which: fc.nat(1_000),
      attributes: fc.subarray(ATTRIBUTES),
      semantic: fc.constantFrom('AllOf', 'AnyOf'),
      type: fc.constantFrom('Dial', 'Bind'),
      roles: fc.tuple(side, side),
    }),
    { minLength: length, maxLength: length },
  );

/** The role lists of policies, with the kinds of entities that they select. */
export const ROLE_LISTS = {
  ServicePolicy: [
    ['identityRoles', 'Identity'],
    ['serviceRoles', 'Service'],
  ],
  EdgeRouterPolicy: [
    ['identityRoles', 'Identity'],
    ['edgeRouterRoles', 'EdgeRouter'],
  ],
  ServiceEdgeRouterPolicy: [
    ['serviceRoles', 'Service'],
    ['edgeRouterRoles', 'EdgeRouter'],
  ],
} as const;

export const isPolicy = (name: string): name is keyof typeof ROLE_LISTS => name in ROLE_LISTS;

/** Makes writes, and remembers what there is. */
export class Writer {
  readonly #ids = new Map<Name, string[]>();
  #count = 0;

  constructor(private readonly on: InProcess) {}

  async make(write: RandomWrite): Promise<void> {
    const { operation, resource: name, which } = write;
    const known = this.known(name);
    const id = known[which % Math.max(1, known.length)];
    const resource = this.on.catalog.get(name);
    if (operation === 'create' || id === undefined) {
      known.push(
        await create(this.on.ctx(), resource, { ...this.born(write), ...this.input(write) }),
      );
    } else if (operation === 'update') {
      await change(this.on.ctx(), resource, 'update', id, this.input(write));
    } else {
      await remove(this.on.ctx(), resource, id);
      known.splice(known.indexOf(id), 1);
    }
  }

  private known(name: Name): string[] {
    const known = this.#ids.get(name) ?? [];
    this.#ids.set(name, known);
    return known;
  }

  private born({ resource: name, type }: RandomWrite): Row {
    const more: Partial<Record<Name, Row>> = {
      Identity: { type: 'Default', isAdmin: false },
      Service: { encryptionRequired: true },
      PostureCheck: { typeId: 'DOMAIN', domains: ['example.com'] },
      ServicePolicy: { type },
    };
    return { name: `${name} ${String((this.#count += 1))}`, ...more[name] };
  }

  private input({ resource: name, attributes, semantic, roles }: RandomWrite): Row {
    if (!isPolicy(name)) {
      return {
        roleAttributes: [...attributes],
        ...(name === 'PostureCheck' ? { typeId: 'DOMAIN' } : {}),
      };
    }
    const lists = ROLE_LISTS[name].map(([member, kind], i) => [
      member,
      [...new Set((roles[i] ?? []).flatMap((role) => this.role(kind, role)))],
    ]);
    return { semantic, ...(Object.fromEntries(lists) as Row) };
  }

  private role(kind: Name, role: string | number): string[] {
    if (typeof role === 'string') return [role];
    const known = this.known(kind);
    const id = known[role % Math.max(1, known.length)];
    return id === undefined ? [] : [`@${id}`];
  }
}

/** An identity or a service with its attributes, or a policy with its sides. */
interface MemberRow {
  readonly kind: string;
  readonly id: string;
  readonly a: readonly string[] | null;
  readonly semantic: string | null;
  readonly type: string | null;
  readonly i: readonly string[] | null;
  readonly s: readonly string[] | null;
}

/** All pairs by definition, from the rows of the database. */
async function pairsNow(on: InProcess): Promise<Pair[]> {
  const rows = await on.parts.store.query(sql<MemberRow>`
    select 'identity' as kind, id, role_attributes as a, null as semantic, null as type, null::text[] as i, null::text[] as s from identity
    union all select 'service', id, role_attributes, null, null, null, null from service
    union all select 'servicePolicy', id, null, semantic::text, type::text, identity_roles, service_roles from service_policy`);
  const changes = rows.map(({ kind, id, a, semantic, type, i, s }) => ({
    kind,
    id,
    revision: 0,
    value:
      kind === 'servicePolicy'
        ? { semantic, type, roles: { identities: i, services: s } }
        : { attributes: a },
  }));
  return allPairs(Network.after(changes as unknown as PolicyChange[]));
}

export const momentOf = async (on: InProcess): Promise<Moment> => ({
  pairs: await pairsNow(on),
  id: await settledChange(on),
});

export const without = (some: readonly Pair[], others: readonly Pair[]): Pair[] => {
  const known = new Set(others.map((pair) => pair.join(' ')));
  return some.filter((pair) => !known.has(pair.join(' ')));
};
