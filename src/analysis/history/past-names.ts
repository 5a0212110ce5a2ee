import type { FailureValues } from '../../posture/index.js';
import type { AccessExplanation } from '../explain-access.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Cursor } from '../../kernel/request/store-port.js';
import { typesOfChecks } from './change-table.js';
import { entityName } from './entity-name.js';

/** The name of the entity whose id follows the letter of its kind; empty when not known. */
export type Names = (key: string) => string;

interface Check {
  readonly postureCheckId: string;
  readonly postureCheckName: string;
  readonly typeId: string;
  readonly verdicts: readonly {
    readonly apiSessionId: string;
    readonly isPassing: boolean;
    readonly failure: FailureValues | null;
  }[];
}

/** A posture check with how it stands. */
export type Checks = (id: string) => Check | undefined;

const KINDS = {
  p: 'servicePolicy',
  e: 'edgeRouterPolicy',
  s: 'serviceEdgeRouterPolicy',
  r: 'edgeRouter',
  c: 'postureCheck',
} as const;
type Letter = keyof typeof KINDS;
const LETTERS = Object.keys(KINDS) as Letter[];

/** What the entities of an explanation were called at a place in the change log. */
export async function pastNames(
  ctx: RequestContext,
  { paths, routers, nearestMisses }: AccessExplanation,
  place: Cursor,
): Promise<{ readonly named: Names; readonly checks: Checks }> {
  const sides = [...routers.identitySide, ...routers.serviceSide];
  const checkIds = [...new Set(paths.flatMap(({ postureCheckIds }) => postureCheckIds))];
  const ids: Readonly<Record<Letter, readonly string[]>> = {
    p: [...paths, ...nearestMisses.misses].map(({ policyId }) => policyId),
    e: sides.flatMap(({ edgeRouterPolicyIds }) => edgeRouterPolicyIds),
    s: sides.flatMap(({ serviceEdgeRouterPolicyIds }) => serviceEdgeRouterPolicyIds),
    r: sides.map(({ routerId }) => routerId),
    c: checkIds,
  };
  // The same few policies are behind many routers.
  const keys = LETTERS.flatMap((letter) =>
    [...new Set(ids[letter])].map((id) => [letter, id] as const),
  );
  const [types, ...names] = await Promise.all([
    typesOf(ctx, checkIds),
    ...keys.map(([letter, id]) => entityName(ctx, KINDS[letter], id, place)),
  ]);
  const known = new Map(keys.map(([letter, id], i) => [`${letter}${id}`, names[i] ?? '']));
  return {
    named: (key) => known.get(key) ?? '',
    checks: (id) => ({
      postureCheckId: id,
      postureCheckName: known.get(`c${id}`) ?? '',
      typeId: types.get(id) ?? '',
      verdicts: [],
    }),
  };
}

async function typesOf(
  { store }: RequestContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await typesOfChecks(store, ids);
  return new Map(rows.map(({ id, type_id }) => [id, type_id]));
}
