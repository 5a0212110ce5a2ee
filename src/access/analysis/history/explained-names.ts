import { history } from '../../../data/rows/change/index.js';
import {
  servicePolicies,
  type ExplainedIds,
  type ExplainedKind,
} from '../../../data/rows/policy/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { Cursor } from '../../../kernel/request/store-port.js';
import type { AccessExplanation } from '../reasons/explain-access.js';
import type { AccessCheck } from '../reasons/granting-paths.js';
import { entityName } from './entity-name.js';

/** Gives the name of an entity of an explanation; empty if unknown. */
export type Names = (kind: ExplainedKind, id: string) => string;

/** Gives a posture check with its verdicts. */
export type Checks = (id: string) => AccessCheck | undefined;

/** The ids of an explanation, each once: many routers share few policies. */
function explainedIds({ paths, routers, nearestMisses }: AccessExplanation): ExplainedIds {
  const sides = [...routers.identitySide, ...routers.serviceSide];
  const policyIds = [...paths, ...nearestMisses.nodes].map(({ policyId }) => policyId);
  const distinct = (ids: readonly string[]): string[] => [...new Set(ids)];
  return {
    servicePolicy: distinct(policyIds),
    edgeRouterPolicy: distinct(sides.flatMap((router) => router.edgeRouterPolicyIds)),
    serviceEdgeRouterPolicy: distinct(sides.flatMap((router) => router.serviceEdgeRouterPolicyIds)),
    edgeRouter: distinct(sides.map(({ routerId }) => routerId)),
  };
}

interface NamedEntity {
  readonly kind: ExplainedKind;
  readonly id: string;
  readonly name: string;
}

function namesAmong(entities: readonly NamedEntity[]): Names {
  const keyOf = (kind: ExplainedKind, id: string): string => `${kind} ${id}`;
  const names = new Map(entities.map(({ kind, id, name }) => [keyOf(kind, id), name]));
  return (kind, id) => names.get(keyOf(kind, id)) ?? '';
}

export const presentNames = async (
  { store }: RequestContext,
  explanation: AccessExplanation,
): Promise<Names> =>
  namesAmong(await servicePolicies.namesInExplanation(store, explainedIds(explanation)));

/** Gives the names of an explanation, and its posture checks, at a place in the change log or at present. */
export async function namesAt(
  ctx: RequestContext,
  explanation: AccessExplanation,
  place: Cursor | undefined,
): Promise<{ readonly nameOf: Names; readonly checks: Checks }> {
  const ids = explainedIds(explanation);
  const entities = (Object.keys(ids) as ExplainedKind[]).flatMap((kind) =>
    ids[kind].map(async (id) => ({
      kind,
      id,
      name: (await entityName(ctx, kind, id, place)) ?? '',
    })),
  );
  const [named, checks] = await Promise.all([
    Promise.all(entities),
    checksAt(ctx, explanation, place),
  ]);
  return { nameOf: namesAmong(named), checks: (id) => checks.get(id) };
}

async function checksAt(
  ctx: RequestContext,
  { paths }: AccessExplanation,
  place: Cursor | undefined,
): Promise<ReadonlyMap<string, AccessCheck>> {
  const ids = [...new Set(paths.flatMap(({ postureCheckIds }) => postureCheckIds))];
  if (ids.length === 0) return new Map();
  const [types, ...names] = await Promise.all([
    history.typesOfChecks(ctx.store, ids),
    ...ids.map((id) => entityName(ctx, 'postureCheck', id, place)),
  ]);
  return new Map(
    ids.map((id, i) => [
      id,
      {
        postureCheckId: id,
        postureCheckName: names[i] ?? '',
        typeId: types.get(id) ?? '',
        verdicts: [],
      },
    ]),
  );
}
