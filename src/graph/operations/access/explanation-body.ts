import type { JsonObject } from '../../../base/row.js';
import { BOOLEAN, listOf, objectOf, STRING } from '../../../kernel/declare/rest-schema.js';
import type { RestAnswer } from '../../../kernel/graph/rest-operation.js';
import { FAILURE, failureBody } from '../posture/failure-body.js';

/** The REST view of an explanation of access. */

const NAMED = '{ id: policyId name: policyName }';
const ROUTER = `{ id: routerId name: routerName isOnline isDisabled edgeRouterPolicies ${NAMED} serviceEdgeRouterPolicies ${NAMED} }`;
const SIDE = `{ missingAttributes remedies { kind attributes side role size
  change { operation type id: entityId input gained lost } } }`;

interface Change {
  readonly operation: string;
  readonly type: string;
  readonly id: string;
  readonly input: JsonObject | null;
  readonly gained: number;
  readonly lost: number;
}

interface Remedy {
  readonly kind: string;
  readonly attributes: readonly string[] | null;
  readonly side: string | null;
  readonly role: string | null;
  readonly size: number;
  readonly change: Change;
}

interface Side {
  readonly missingAttributes: readonly string[];
  readonly remedies: readonly Remedy[];
}

interface Verdict {
  readonly apiSessionId: string;
  readonly isPassing: boolean;
  readonly failure: JsonObject | null;
}

interface PostureCheck {
  readonly id: string;
  readonly name: string;
  readonly typeId: string;
  readonly verdicts: readonly Verdict[];
}

interface Path extends PolicyMembers {
  readonly postureChecks: readonly PostureCheck[];
}

interface Miss extends PolicyMembers {
  readonly identitySide: Side | null;
  readonly serviceSide: Side | null;
}

interface PolicyMembers extends JsonObject {
  readonly policyId: string;
  readonly policyName: string;
}

interface Explanation extends JsonObject {
  readonly paths: readonly Path[];
  readonly nearestMisses: { readonly totalCount: number; readonly nodes: readonly Miss[] };
}

const withPolicy = ({ policyId, policyName, ...others }: PolicyMembers): JsonObject => ({
  policy: { id: policyId, name: policyName },
  ...others,
});

/** A remedy has only the members of its kind. */
function remedyBody({ kind, attributes, side, role, size, change }: Remedy): JsonObject {
  const { gained, lost, ...others } = change;
  const addition =
    attributes === null
      ? { policyId: others.id, side, role }
      : { entity: others.type, id: others.id, attributes };
  return { kind, ...addition, size, change: others, gained, lost };
}

const sideBody = (side: Side | null): JsonObject | null =>
  side && { ...side, remedies: side.remedies.map(remedyBody) };

const missBody = (miss: Miss): JsonObject =>
  withPolicy({
    ...miss,
    identitySide: sideBody(miss.identitySide),
    serviceSide: sideBody(miss.serviceSide),
  });

const verdictBody = (verdict: Verdict): Verdict => ({
  ...verdict,
  failure: verdict.failure && failureBody(verdict.failure),
});

const pathBody = (path: Path): JsonObject =>
  withPolicy({
    ...path,
    postureChecks: path.postureChecks.map((check) => ({
      ...check,
      verdicts: check.verdicts.map(verdictBody),
    })),
  });

const explanationBody = ({ paths, nearestMisses, ...others }: Explanation): JsonObject => ({
  ...others,
  paths: paths.map(pathBody),
  nearestMisses: { ...nearestMisses, nodes: nearestMisses.nodes.map(missBody) },
});

export const EXPLANATION: RestAnswer = {
  kind: 'data',
  select: `allowed obstacles
    paths { policyId policyName semantic identityRoles { kind role } serviceRoles { kind role }
      postureChecks { id: postureCheckId name: postureCheckName typeId verdicts { apiSessionId isPassing failure { ${FAILURE} } } } }
    routers { identitySide ${ROUTER} serviceSide ${ROUTER} common ${ROUTER} }
    nearestMisses { totalCount nodes { policyId policyName semantic changes identitySide ${SIDE} serviceSide ${SIDE} } }`,
  view: explanationBody,
  schema: objectOf({
    allowed: BOOLEAN,
    obstacles: listOf(STRING),
    paths: listOf({ type: 'object' }),
    routers: { type: 'object' },
    nearestMisses: { type: 'object' },
  }),
};
