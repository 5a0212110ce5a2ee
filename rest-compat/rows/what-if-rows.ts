import { MODEL_KINDS } from '../../src/graph/index.js';
import { invalidField } from '../../src/base/errors.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import {
  BOOLEAN,
  GRANT,
  grantView,
  listOf,
  needed,
  oneOf,
  shared,
  wholeNumber,
  type Grant,
} from './analysis-shapes.js';
import { FINDING, FINDING_SCHEMA } from './finding-rows.js';
import { objectOf, STRING } from './hand-shapes.js';
import { queryParameter, queryText } from '../engine/list-parameters.js';
import type { RestRequest, RestRow, Schema } from '../engine/rest-row.js';

/** The effects of changes that are not made yet, and the differences between two points in time. */

export function whatIfRows(): RestRow[] {
  return [simulateRow, accessDiffRow];
}

const GRANTS = `{ totalCount nodes { identityId identityName serviceId serviceName type
  paths { policyId semantic identityRoles { kind role } serviceRoles { kind role } postureCheckIds } } }`;
const PROOF = '{ holds counterexample { identityId identityName serviceId serviceName type } }';
const REACH = `{ gained(first: $first) { totalCount nodes { identityId serviceId routerId } }
  lost(first: $first) { totalCount nodes { identityId serviceId routerId } } }`;
/** What differs between two states, the first so many of each list. */
const DIFFERENCES = `gained(first: $first) ${GRANTS} lost(first: $first) ${GRANTS}
  proveNoNewAccess ${PROOF} proveNoLostAccess ${PROOF}
  identityRouters ${REACH} serviceRouters ${REACH} sharedRouters ${REACH}
  findings { appearedCount appeared ${FINDING} vanishedCount vanished ${FINDING} }`;

interface Counted<T> {
  readonly totalCount: number;
  readonly nodes: readonly T[];
}

interface Differences extends JsonObject {
  readonly gained: Counted<Reasoned>;
  readonly lost: Counted<Reasoned>;
  readonly proveNoNewAccess: Claim;
  readonly proveNoLostAccess: Claim;
}

type Reasoned = Grant & { readonly paths: readonly unknown[] };

interface Claim {
  readonly holds: boolean;
  readonly counterexample: Grant | null;
}

const countedView = ({ totalCount, nodes }: Counted<Reasoned>): Counted<object> => ({
  totalCount,
  nodes: nodes.map((grant) => ({ ...grantView(grant), paths: grant.paths })),
});

const claimView = ({ holds, counterexample }: Claim): object => ({
  holds,
  counterexample: counterexample && grantView(counterexample),
});

const differencesView = (differences: Differences): JsonObject => ({
  ...differences,
  gained: countedView(differences.gained),
  lost: countedView(differences.lost),
  proveNoNewAccess: claimView(differences.proveNoNewAccess),
  proveNoLostAccess: claimView(differences.proveNoLostAccess),
});

const COUNT: Schema = { type: 'integer' };
const counted = (items: Schema): Schema => objectOf({ totalCount: COUNT, nodes: listOf(items) });
const CLAIM: Schema = objectOf({ holds: BOOLEAN, counterexample: { ...GRANT, nullable: true } });
const REACH_CHANGES: Schema = objectOf({
  gained: counted({ type: 'object' }),
  lost: counted({ type: 'object' }),
});

const DIFFERENCES_SCHEMA: Readonly<Record<string, Schema>> = {
  gained: counted(GRANT),
  lost: counted(GRANT),
  proveNoNewAccess: CLAIM,
  proveNoLostAccess: CLAIM,
  identityRouters: REACH_CHANGES,
  serviceRouters: REACH_CHANGES,
  sharedRouters: REACH_CHANGES,
  findings: objectOf({
    appearedCount: COUNT,
    appeared: listOf(FINDING_SCHEMA),
    vanishedCount: COUNT,
    vanished: listOf(FINDING_SCHEMA),
  }),
};

const FIRST = queryParameter(
  'first',
  'integer',
  'How many of each list to show: default 25, at most 500. Counts are always exact.',
);

const firstOf = (request: RestRequest): { readonly first?: number } => {
  const first = queryText(request, 'first');
  return first === undefined ? {} : { first: wholeNumber('first', first) };
};

const CHANGE: Schema = objectOf(
  {
    operation: { type: 'string', enum: ['create', 'replace', 'update', 'delete'] },
    type: { type: 'string', description: '`identity`, `servicePolicy` …' },
    id: STRING,
    input: { type: 'object' },
  },
  ['operation', 'type'],
);

const VIOLATION: Schema = objectOf({
  ruleId: STRING,
  identityId: STRING,
  serviceId: STRING,
  type: STRING,
});

const simulateRow: RestRow = {
  ...shared,
  method: 'POST',
  path: '/simulate',
  operationId: 'simulateChanges',
  summary: 'What changes would do, made in their order by the rules of writes. Nothing is written.',
  document: `query ($changes: [ModelChangeInput!]!, $first: Int) {
    result: simulate(changes: $changes) { ${DIFFERENCES}
      violations { ruleId identityId serviceId type }
      violatedRules { ruleId identityId serviceId type }
      endedSessions { totalCount nodes { id apiSessionId identityId serviceId type } } } }`,
  variables: (request) => ({ ...firstOf(request), changes: changesIn(request.body) }),
  parameters: [FIRST],
  body: {
    kind: 'json',
    schema: objectOf({ changes: listOf(CHANGE) }),
    required: true,
  },
  errors: [400, 401, 404, 409],
  answer: {
    kind: 'data',
    view: differencesView,
    schema: objectOf({
      ...DIFFERENCES_SCHEMA,
      violations: listOf(VIOLATION),
      violatedRules: listOf(VIOLATION),
      endedSessions: counted({ type: 'object' }),
    }),
  },
};

const accessDiffRow: RestRow = {
  ...shared,
  path: '/access-diff',
  operationId: 'diffAccess',
  summary: 'What differs between two points of the change log.',
  document: `query ($from: String!, $to: String, $first: Int) {
    result: accessDiff(from: $from, to: $to) { ${DIFFERENCES} } }`,
  variables: (request) => ({
    ...firstOf(request),
    from: needed(request, 'from'),
    to: queryText(request, 'to'),
  }),
  parameters: [
    {
      ...queryParameter('from', 'string', 'The one point: the id of a change, or a time.'),
      required: true,
    },
    queryParameter('to', 'string', 'The other; default: now.'),
    FIRST,
  ],
  errors: [400, 401, 410],
  answer: { kind: 'data', view: differencesView, schema: objectOf(DIFFERENCES_SCHEMA) },
};

const OPERATIONS = ['create', 'replace', 'update', 'delete'];

/** The changes of a body; a fault is a field error, not one of a GraphQL variable. */
function changesIn(body: unknown): JsonObject[] {
  const changes = isObject(body) ? body.changes : undefined;
  if (!Array.isArray(changes)) throw invalidField('changes', 'changes in body is required', '');
  return changes.map((change: unknown, i) => {
    const place = `changes[${String(i)}]`;
    if (!isObject(change)) throw invalidField(place, 'must be an object', change);
    const { operation, type, id, input } = change;
    oneOf(OPERATIONS, `${place}.operation`, operation);
    oneOf(MODEL_KINDS, `${place}.type`, type);
    if (id !== undefined && typeof id !== 'string') {
      throw invalidField(`${place}.id`, 'must be a text', id);
    }
    return { operation, type, id, input };
  });
}
