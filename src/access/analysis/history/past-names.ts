import type { FailureValues } from '../../../trust/posture/index.js';
import type { AccessExplanation } from '../reasons/explain-access.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { Cursor } from '../../../kernel/request/store-port.js';
import { history } from '../../../data/rows/change/index.js';
import { entityName } from './entity-name.js';

/** Gives the name for a letter of the kind followed by the id, e.g. `p` + id; empty if unknown. */
export type Names = (key: string) => string;

interface CheckView {
  readonly postureCheckId: string;
  readonly postureCheckName: string;
  readonly typeId: string;
  readonly verdicts: readonly {
    readonly apiSessionId: string;
    readonly isPassing: boolean;
    readonly failure: FailureValues | null;
  }[];
}

/** Gives a posture check with its verdicts. */
export type Checks = (id: string) => CheckView | undefined;

const KINDS = {
  p: 'servicePolicy',
  e: 'edgeRouterPolicy',
  s: 'serviceEdgeRouterPolicy',
  r: 'edgeRouter',
  c: 'postureCheck',
} as const;
type Letter = keyof typeof KINDS;
const LETTERS = Object.keys(KINDS) as Letter[];

/** Gives the names of the entities of an explanation at a place in the change log. */
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
  // Many routers share few policies.
  const keys = LETTERS.flatMap((letter) =>
    [...new Set(ids[letter])].map((id) => [letter, id] as const),
  );
  const [types, ...names] = await Promise.all([
    typesOf(ctx, checkIds),
    ...keys.map(([letter, id]) => entityName(ctx, KINDS[letter], id, place)),
  ]);
  const nameByKey = new Map(keys.map(([letter, id], i) => [`${letter}${id}`, names[i] ?? '']));
  return {
    named: (key) => nameByKey.get(key) ?? '',
    checks: (id) => ({
      postureCheckId: id,
      postureCheckName: nameByKey.get(`c${id}`) ?? '',
      typeId: types.get(id) ?? '',
      verdicts: [],
    }),
  };
}

const typesOf = async (
  { store }: RequestContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  ids.length === 0 ? new Map() : history.typesOfChecks(store, ids);
