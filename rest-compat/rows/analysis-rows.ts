import { typeOf } from '../../src/graph/index.js';
import type { JsonObject } from '../../src/base/row.js';
import {
  AT,
  BOOLEAN,
  GRANT,
  grantView,
  listOf,
  needed,
  shared,
  wholeNumber,
  type Grant,
} from './analysis-shapes.js';
import { objectOf, STRING } from './hand-shapes.js';
import {
  PAGE_PARAMETERS,
  pageVariables,
  queryParameter,
  queryText,
} from '../engine/list-parameters.js';
import { FAILURE, failureView } from './posture-failures.js';
import type { Column, Connection, Parameter, RestRow } from '../engine/rest-row.js';

/** Who reaches what, and why. */

const TYPE = queryParameter('type', 'string', '`Dial` or `Bind`.');
const optionalType = (type: string | undefined): string | undefined =>
  type === undefined ? undefined : typeOf(type);
const required = (parameter: Parameter): Parameter => ({ ...parameter, required: true });

export function analysisRows(): RestRow[] {
  return [explainRow, accessesRow];
}

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

interface Path extends OfPolicy {
  readonly postureChecks: readonly PostureCheck[];
}

interface Miss extends OfPolicy {
  readonly identitySide: Side | null;
  readonly serviceSide: Side | null;
}

interface OfPolicy extends JsonObject {
  readonly policyId: string;
  readonly policyName: string;
}

interface Explanation extends JsonObject {
  readonly paths: readonly Path[];
  readonly nearestMisses: { readonly totalCount: number; readonly nodes: readonly Miss[] };
}

const withPolicy = ({ policyId, policyName, ...others }: OfPolicy): JsonObject => ({
  policy: { id: policyId, name: policyName },
  ...others,
});

/** Only with the members of its kind. */
function remedyView({ kind, attributes, side, role, size, change }: Remedy): JsonObject {
  const { gained, lost, ...others } = change;
  const added =
    attributes === null
      ? { policyId: others.id, side, role }
      : { entity: others.type, id: others.id, attributes };
  return { kind, ...added, size, change: others, gained, lost };
}

const sideView = (side: Side | null): JsonObject | null =>
  side && { ...side, remedies: side.remedies.map(remedyView) };

const missView = (miss: Miss): JsonObject =>
  withPolicy({
    ...miss,
    identitySide: sideView(miss.identitySide),
    serviceSide: sideView(miss.serviceSide),
  });

const verdictView = (verdict: Verdict): Verdict => ({
  ...verdict,
  failure: verdict.failure && failureView(verdict.failure),
});

const pathView = (path: Path): JsonObject =>
  withPolicy({
    ...path,
    postureChecks: path.postureChecks.map((check) => ({
      ...check,
      verdicts: check.verdicts.map(verdictView),
    })),
  });

const explanationView = ({ paths, nearestMisses, ...others }: Explanation): JsonObject => ({
  ...others,
  paths: paths.map(pathView),
  nearestMisses: { ...nearestMisses, nodes: nearestMisses.nodes.map(missView) },
});

const explainRow: RestRow = {
  ...shared,
  path: '/access',
  operationId: 'explainAccess',
  summary: 'Why an identity reaches a service or does not, and what is nearest to granting it.',
  document: `query ($identityId: ID!, $serviceId: ID!, $type: AccessType!, $misses: Int, $at: String) {
    result: access(identityId: $identityId, serviceId: $serviceId, type: $type, misses: $misses, at: $at) {
      allowed obstacles
      paths { policyId policyName semantic identityRoles { kind role } serviceRoles { kind role }
        postureChecks { id: postureCheckId name: postureCheckName typeId verdicts { apiSessionId isPassing failure { ${FAILURE} } } } }
      routers { identitySide ${ROUTER} serviceSide ${ROUTER} common ${ROUTER} }
      nearestMisses { totalCount nodes { policyId policyName semantic changes identitySide ${SIDE} serviceSide ${SIDE} } } } }`,
  variables: (request) => {
    const misses = queryText(request, 'misses');
    return {
      identityId: needed(request, 'identityId'),
      serviceId: needed(request, 'serviceId'),
      type: typeOf(needed(request, 'type')),
      ...(misses === undefined ? {} : { misses: wholeNumber('misses', misses) }),
      at: queryText(request, 'at'),
    };
  },
  parameters: [
    required(queryParameter('identityId', 'string', 'Id of the identity.')),
    required(queryParameter('serviceId', 'string', 'Id of the service.')),
    required(TYPE),
    queryParameter(
      'misses',
      'integer',
      'How many nearest misses to list: default 10, at most 100.',
    ),
    AT,
  ],
  errors: [400, 401, 404, 410],
  answer: {
    kind: 'data',
    view: explanationView,
    schema: objectOf({
      allowed: BOOLEAN,
      obstacles: listOf(STRING),
      paths: listOf({ type: 'object' }),
      routers: { type: 'object' },
      nearestMisses: { type: 'object' },
    }),
  },
};

const GRANT_COLUMNS: readonly Column[] = [
  ['identityId', ({ identityId }: Grant) => identityId],
  ['identity', ({ identityName }: Grant) => identityName ?? ''],
  ['serviceId', ({ serviceId }: Grant) => serviceId],
  ['service', ({ serviceName }: Grant) => serviceName ?? ''],
  ['type', ({ type }: Grant) => type],
];

const NARROWING: readonly Parameter[] = [
  queryParameter('identityId', 'string', 'Only what this identity reaches.'),
  queryParameter('serviceId', 'string', 'Only who reaches this service.'),
  queryParameter('servicePolicyId', 'string', 'Only what this policy grants.'),
  TYPE,
  queryParameter('identityFilter', 'string', 'Condition on the identity, in the filter language.'),
  queryParameter('serviceFilter', 'string', 'Condition on the service, in the filter language.'),
  AT,
];

const accessesRow: RestRow = {
  ...shared,
  path: '/accesses',
  operationId: 'listAccesses',
  summary:
    'Who may dial or bind what by the policies. All of it as CSV or JSON lines with `Accept: text/csv` or `application/x-ndjson`.',
  document: `query ($identityId: ID, $serviceId: ID, $servicePolicyId: ID, $type: AccessType, $identityFilter: String, $serviceFilter: String, $at: String, $limit: Int, $offset: Int) {
    result: accesses(identityId: $identityId, serviceId: $serviceId, servicePolicyId: $servicePolicyId, type: $type,
      identityFilter: $identityFilter, serviceFilter: $serviceFilter, at: $at, limit: $limit, offset: $offset) {
      nodes { identityId identityName serviceId serviceName type } pagination { limit offset totalCount } } }`,
  variables: (request) => ({
    ...pageVariables(request),
    ...Object.fromEntries(NARROWING.map(({ name }) => [name, queryText(request, name)])),
    type: optionalType(queryText(request, 'type')),
  }),
  parameters: [...PAGE_PARAMETERS, ...NARROWING],
  errors: [400, 401, 404, 410],
  answer: {
    kind: 'list',
    fields: [],
    page: (page: Connection) => page,
    view: grantView,
    schema: GRANT,
    columns: GRANT_COLUMNS,
  },
};
