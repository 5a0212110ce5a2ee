import { drive, inTurn } from './load.js';
import { byTurns, keysOf, login, type Effort } from './measure.js';
import { READS, type HttpRequest, type Read } from './reads.js';
import type { ScaleResult } from './report.js';
import type { Stage } from './stage.js';
import { CREATE_IDENTITY, EDIT_POLICY } from './writes.js';

interface Kind {
  readonly name: string;
  readonly prepare: (stage: Stage, token: string) => Promise<() => HttpRequest>;
}

const BASE = '/edge/management/v1';
const BROAD_POLICIES = `select id as key from service_policy where identity_roles @> '{#all}' order by id limit 10`;

const readKind = ({ name, keys, request }: Read): Kind => ({
  name,
  prepare: async (stage) =>
    inTurn((keys === undefined ? [''] : await keysOf(stage, keys)).map(request)),
});

/** Pages that must not cost more in a larger network. */
export const PAGES: readonly Kind[] = [
  ...READS.filter(({ name }) =>
    ['REST identities, default order', 'REST identities of a service policy'].includes(name),
  ).map((read) => ({ ...readKind(read), name: `${read.name}, with total` })),
  {
    name: 'REST identities of an #all policy, with total',
    prepare: async (stage) => {
      const keys = await keysOf(stage, BROAD_POLICIES);
      return inTurn(
        keys.map((key): HttpRequest => ({
          method: 'GET',
          path: `${BASE}/service-policies/${key}/identities?limit=25`,
        })),
      );
    },
  },
];

const KINDS: readonly Kind[] = [...PAGES, EDIT_POLICY, CREATE_IDENTITY];

/** All that administrators' programs ask for, and what they write. */
export const LINES: readonly Kind[] = [...READS.map(readKind), EDIT_POLICY, CREATE_IDENTITY];

/** Each kind in both networks, by turns. */
export async function measureScale(
  small: Stage,
  large: Stage,
  effort: Effort,
  kinds = KINDS,
): Promise<ScaleResult[]> {
  const results: ScaleResult[] = [];
  const tokens = [await login(small), await login(large)] as const;
  for (const { name, prepare } of kinds) {
    const [next, nextLarge] = [await prepare(small, tokens[0]), await prepare(large, tokens[1])];
    const [atSmall, atLarge] = await byTurns(
      [
        (seconds) => drive(small.controller, next, seconds, tokens[0]),
        (seconds) => drive(large.controller, nextLarge, seconds, tokens[1]),
      ],
      effort,
    );
    if (atSmall && atLarge) results.push({ name, small: atSmall, large: atLarge });
  }
  return results;
}
