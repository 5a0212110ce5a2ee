import fc from 'fast-check';
import type { Row } from '../../../src/base/row.js';
import { raw, sql } from '../../../src/base/sql.js';
import { change, create, remove } from '../../../src/kernel/write/write.js';
import { upperFirst } from '../../../src/base/names.js';
import type { InProcess } from '../../support/in-process.js';

/* Random lists of changes, and the same writes one by one in another network. */

const TABLES = {
  identity: 'identity',
  service: 'service',
  edgeRouter: 'router',
  postureCheck: 'posture_check',
  servicePolicy: 'service_policy',
  edgeRouterPolicy: 'edge_router_policy',
  serviceEdgeRouterPolicy: 'service_edge_router_policy',
} as const;

type Kind = keyof typeof TABLES;
const KINDS = Object.keys(TABLES) as Kind[];

const SIDES: Readonly<Partial<Record<Kind, readonly (readonly [string, Kind])[]>>> = {
  servicePolicy: [
    ['identityRoles', 'identity'],
    ['serviceRoles', 'service'],
    ['postureCheckRoles', 'postureCheck'],
  ],
  edgeRouterPolicy: [
    ['identityRoles', 'identity'],
    ['edgeRouterRoles', 'edgeRouter'],
  ],
  serviceEdgeRouterPolicy: [
    ['serviceRoles', 'service'],
    ['edgeRouterRoles', 'edgeRouter'],
  ],
};

interface Draw {
  readonly kind: Kind;
  readonly operation: 'create' | 'update' | 'replace' | 'delete';
  /** Which of those that there are, or of the ids and names for new ones. */
  readonly which: number;
  readonly name: number;
  readonly isNamed: boolean;
  readonly attributes: readonly string[];
  readonly flag: boolean;
  /** Roles of each side: attributes, or numbers for entities. */
  readonly roles: readonly (readonly (string | number)[])[];
}

const ATTRIBUTES = ['a', 'b', 'c'];

const side = fc.oneof(
  { weight: 1, arbitrary: fc.constant<(string | number)[]>(['#all']) },
  {
    weight: 6,
    arbitrary: fc.uniqueArray(
      fc.oneof(fc.constantFrom(...ATTRIBUTES.map((a) => `#${a}`)), fc.nat(6)),
      { maxLength: 3 },
    ),
  },
);

export const draws = (length: number): fc.Arbitrary<Draw[]> =>
  fc.array(
    fc.record({
      kind: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom('identity', 'service', 'servicePolicy' as Kind) },
        { weight: 3, arbitrary: fc.constantFrom(...KINDS) },
      ),
      operation: fc.constantFrom('create', 'create', 'update', 'update', 'replace', 'delete'),
      which: fc.nat(1_000),
      name: fc.nat(25),
      isNamed: fc.boolean(),
      attributes: fc.subarray(ATTRIBUTES),
      flag: fc.boolean(),
      roles: fc.array(side, { minLength: 3, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: length },
  );

/** The ids of the entities of each kind. */
type ExistingIds = Record<Kind, string[]>;

/** Turns draws into a list that fits to a network; some lists are refused all the same. */
export function listOf(all: readonly Draw[], existing: ExistingIds, round: number): Row[] {
  return all.map((draw, i): Row => {
    const { kind, operation, which } = draw;
    const ids = existing[kind];
    const id = ids[which % Math.max(1, ids.length)];
    const type = kind;
    if (operation === 'create' || id === undefined) {
      // Some ids come again later.
      const old = `${kind}-${String(which % 20)}`;
      const newId = ids.includes(old) ? `${kind}-${String(1_000 + round * 50 + i)}` : old;
      const input = { ...required(draw), ...inputOf(draw, existing) };
      ids.push(newId);
      return { operation: 'create', type, id: newId, input };
    }
    if (operation === 'delete') {
      ids.splice(ids.indexOf(id), 1);
      return { operation, type, id };
    }
    const input = inputOf(draw, existing);
    return {
      ...{ operation, type, id },
      input: operation === 'replace' ? { ...required(draw), ...input } : input,
    };
  });
}

const nameOf = ({ kind, name }: Draw): string => `${kind} ${String(name)}`;

function required(draw: Draw): Row {
  const { kind, flag } = draw;
  const name = nameOf(draw);
  switch (kind) {
    case 'identity':
      return { name, type: 'Default', isAdmin: false };
    case 'service':
      return { name, encryptionRequired: flag };
    case 'edgeRouter':
      return { name, isTunnelerEnabled: flag };
    case 'postureCheck':
      return { name, typeId: 'DOMAIN', domains: ['example.com'] };
    case 'servicePolicy':
      return { name, semantic: 'AnyOf', type: flag ? 'Dial' : 'Bind' };
    default:
      return { name, semantic: 'AnyOf' };
  }
}

function inputOf(draw: Draw, existing: ExistingIds): Row {
  const { kind, attributes, flag, isNamed, name, which } = draw;
  const tags = { tags: { count: which } };
  const named = isNamed ? { name: nameOf(draw) } : {};
  switch (kind) {
    case 'identity':
      return {
        ...named,
        ...{ roleAttributes: [...attributes], externalId: flag ? `ext ${String(name)}` : null },
        ...{ appData: { flag }, defaultHostingCost: name },
      };
    case 'service':
      return { ...named, roleAttributes: [...attributes], ...(flag ? tags : {}) };
    case 'edgeRouter':
      return { ...named, roleAttributes: [...attributes], isTunnelerEnabled: flag, cost: name };
    case 'postureCheck':
      return {
        ...{ ...named, typeId: 'DOMAIN', roleAttributes: [...attributes] },
        ...(flag ? { domains: [`d${String(name)}.example.com`] } : {}),
      };
    default:
      return { ...named, ...rolesOf(draw, existing), ...(flag ? {} : { semantic: 'AllOf' }) };
  }
}

const rolesOf = ({ kind, roles, which }: Draw, existing: ExistingIds): Row =>
  Object.fromEntries(
    (SIDES[kind] ?? []).flatMap(([attribute, target], i): [string, string[]][] => {
      // Some changes leave a side out.
      if ((which + i) % 4 === 0) return [];
      const ids = existing[target];
      const entries = (roles[i] ?? []).map((role) =>
        typeof role === 'string' ? role : `@${ids[role % Math.max(1, ids.length)] ?? ''}`,
      );
      return [[attribute, [...new Set(entries.filter((entry) => entry !== '@'))]]];
    }),
  );

const STAMPS = ['revision', 'updated_at', 'version'];

/** The rows of all kinds by table and id. */
export type State = ReadonlyMap<string, Row>;

/** Ids are given by `rename`, so that two networks can be compared. */
export async function stateOf(
  on: InProcess,
  rename: (id: string) => string = (id) => id,
): Promise<State> {
  const rows = new Map<string, Row>();
  for (const table of Object.values(TABLES)) {
    const entities = await on.parts.store.query(
      sql<{ id: string; state: Row }>`select id, to_jsonb(t) as state from ${raw(`"${table}"`)} t
        where id not in (select id from identity where is_default_admin)`,
    );
    for (const { id, state } of entities) {
      const compared = Object.entries(state).filter(([name]) => !STAMPS.includes(name));
      rows.set(`${table} ${rename(id)}`, renamed(Object.fromEntries(compared), rename) as Row);
    }
  }
  return new Map([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** System policies have the id of their router inside of their name. */
function renamed(value: unknown, rename: (id: string) => string): unknown {
  if (typeof value === 'string') {
    if (value.startsWith('@')) return `@${rename(value.slice(1))}`;
    const [, router] = /^edge-router-(.+)-system$/.exec(value) ?? [];
    return router === undefined ? rename(value) : `edge-router-${rename(router)}-system`;
  }
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, rename)).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, renamed(member, rename)]),
  );
}

export const existingIn = (state: State): ExistingIds =>
  Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      [...state.keys()].flatMap((key) => {
        const [table, id = ''] = key.split(' ');
        return table === TABLES[kind] ? [id] : [];
      }),
    ]),
  ) as ExistingIds;

export const without = (state: State, ...names: readonly string[]): State =>
  new Map(
    [...state].map(([key, row]) => [
      key,
      Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))),
    ]),
  );

/** Another network, which gets the same writes by the mutations, one by one. */
export class OneByOne {
  /** Ids of the lists -> ids in this network. */
  readonly #ids = new Map<string, string>();

  constructor(readonly on: InProcess) {}

  /** The id in the lists of an id here. */
  readonly original = (id: string): string =>
    [...this.#ids].find(([, here]) => here === id)?.[0] ?? id;

  async write(changes: readonly Row[]): Promise<void> {
    for (const { operation, type, id, input } of changes as {
      operation: 'create' | 'update' | 'replace' | 'delete';
      type: string;
      id: string;
      input: Row;
    }[]) {
      const resource = this.on.catalog.get(upperFirst(type));
      const ctx = this.on.ctx();
      const here = this.#ids.get(id) ?? id;
      const values = renamed(input, (one) => this.#ids.get(one) ?? one) as Row;
      if (operation === 'create') this.#ids.set(id, await create(ctx, resource, values));
      else if (operation === 'delete') await remove(ctx, resource, here);
      else await change(ctx, resource, operation, here, values);
    }
  }
}
