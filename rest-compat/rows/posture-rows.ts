import type { JsonObject } from '../../src/base/row.js';
import { attributesOf, type Attribute, type Shape } from '../../src/kernel/declare/attribute.js';
import { may, SESSION } from '../../src/kernel/declare/permissions.js';
import { selectionText } from '../../src/kernel/graph/selection-text.js';
import {
  failureAttributes,
  postureResponseTypeIds,
  readPostureResponse,
  readPostureResponses,
  reportTypes,
  responseAttributes,
  sessionViews,
} from '../../src/posture/index.js';
import { SdkInfo } from '../../src/resources/identity-shapes.js';
import { typeSchema } from '../engine/openapi-schema.js';
import { asItIs, byId, objectOf, STRING, TIME } from './hand-shapes.js';
import { withoutNulls } from '../../src/base/without-nulls.js';
import { failureView } from './posture-failures.js';
import type { RestRow, Schema } from '../engine/rest-row.js';

/** What clients send of their devices, and what administrators see of it. */
export const postureRows = (): RestRow[] => [...submitRows(), ...viewRows()];

const INTEGER: Schema = { type: 'integer' };
const listOf = (items: Schema): Schema => ({ type: 'array', items });

const schemaOf = ({ type, nullable }: Attribute): Schema => ({
  ...typeSchema(type),
  ...(nullable ? { nullable } : {}),
});

const schemasOf = (attributes: readonly Attribute[]): Record<string, Schema> =>
  Object.fromEntries(attributes.map((a) => [a.name, schemaOf(a)]));

const shapeSchema = (shape: Shape): Schema => objectOf(schemasOf(attributesOf(shape)));

const RESPONSE = objectOf(
  {
    id: STRING,
    typeId: { type: 'string', enum: [...postureResponseTypeIds] },
    ...schemasOf(responseAttributes),
  },
  ['id', 'typeId'],
);

const OUTCOME = objectOf({
  services: listOf(
    objectOf({
      id: STRING,
      name: STRING,
      postureQueryType: STRING,
      timeout: INTEGER,
      timeoutRemaining: INTEGER,
    }),
  ),
});

function submitRows(): RestRow[] {
  const shared = {
    on: ['client'] as const,
    method: 'POST' as const,
    tag: 'posture',
    permission: SESSION,
    document: `mutation ($responses: [PostureResponseInput!]!) { result: submitPosture(responses: $responses) {
      services { id: serviceId name: serviceName postureQueryType timeout timeoutRemaining } } }`,
    errors: [400, 401],
    answer: { kind: 'data' as const, view: asItIs, schema: OUTCOME },
  };
  return [
    {
      ...shared,
      path: '/posture-response',
      operationId: 'createPostureResponse',
      summary: 'Takes what the device of the caller tells of itself.',
      variables: ({ body }) => ({ responses: [readPostureResponse(body)] }),
      body: { kind: 'json', required: true, schema: RESPONSE },
      status: 201,
    },
    {
      ...shared,
      path: '/posture-response-bulk',
      operationId: 'createPostureResponseBulk',
      summary: 'The same for several checks; one bad entry refuses all.',
      variables: ({ body }) => ({ responses: readPostureResponses(body) }),
      body: { kind: 'json', required: true, schema: listOf(RESPONSE) },
      // Generated clients take nothing else, although the single form is answered by 201.
      status: 200,
    },
  ];
}

function viewRows(): RestRow[] {
  const shared = {
    on: ['management'] as const,
    method: 'GET' as const,
    tag: 'identities',
    permission: may('identity', 'read'),
    variables: byId,
    status: 200 as const,
    errors: [401, 404],
  };
  return [
    {
      ...shared,
      path: '/identities/{id}/posture-data',
      operationId: 'getIdentityPostureData',
      summary: 'What is known of the devices of an identity.',
      document: `query ($id: ID!) { result: identity(id: $id) { postureData {
        ${REPORTS}
        apiSessions { ${SESSION_MEMBERS} sdkInfo { ${selectionText(attributesOf(SdkInfo))} } } } } }`,
      answer: { kind: 'data', view: postureData, schema: POSTURE_DATA },
    },
    {
      ...shared,
      path: '/identities/{id}/failed-service-requests',
      operationId: 'getIdentityFailedServiceRequests',
      summary: 'The last 100 sessions that posture refused to an identity, newest last.',
      document: `query ($id: ID!) { result: identity(id: $id) { failedServiceRequests {
        apiSessionId serviceId serviceName sessionType when policyFailures { policyId policyName checks { ${CHECK} } } } } }`,
      answer: {
        kind: 'data',
        view: ({ failedServiceRequests }: { failedServiceRequests: Refused[] }) =>
          failedServiceRequests.map(refusalView),
        schema: listOf(REFUSAL),
      },
    },
  ];
}

/** In the order in which the database keeps members: by length, then by bytes. */
const byStoredOrder = (a: Attribute, b: Attribute): number =>
  a.name.length - b.name.length || (a.name < b.name ? -1 : 1);

const storedText = (attributes: readonly Attribute[]): string =>
  attributes
    .toSorted(byStoredOrder)
    .map(({ name, type }) =>
      type.kind === 'object' ? `${name} { ${storedText(attributesOf(type.of()))} }` : name,
    )
    .join(' ');

const CHECK = `${storedText(failureAttributes)} actualValue expectedValue
  postureCheckId postureCheckName postureCheckType`;

interface Refused extends JsonObject {
  readonly policyFailures: readonly {
    readonly policyId: string;
    readonly policyName: string;
    readonly checks: readonly JsonObject[];
  }[];
}

const refusalView = ({ policyFailures, ...request }: Refused): JsonObject => ({
  ...request,
  policyFailures: policyFailures.map(({ checks, ...policy }) => ({
    ...policy,
    checks: checks.map(failureView),
  })),
});

const REPORTS = reportTypes
  .map(({ member, shape }) => `${member} { ${selectionText(attributesOf(shape))} }`)
  .join(' ');

const sessionMembers = sessionViews.flatMap(({ members }) => Object.entries(members));

const SESSION_MEMBERS = sessionMembers
  .map(([name, { shape }]) => `${name} { ${selectionText(attributesOf(shape))} }`)
  .join(' ');

const POSTURE_DATA = objectOf({
  ...Object.fromEntries(
    reportTypes.map(({ member, shape, list }) => [
      member,
      list ? listOf(shapeSchema(shape)) : shapeSchema(shape),
    ]),
  ),
  apiSessionPostureData: {
    type: 'object',
    additionalProperties: objectOf(
      {
        ...Object.fromEntries(
          sessionMembers.map(([name, { shape }]) => [name, shapeSchema(shape)]),
        ),
        sdkInfo: { type: 'object' },
      },
      sessionMembers.map(([name]) => name),
    ),
  },
});

const REFUSAL = objectOf({
  apiSessionId: STRING,
  serviceId: STRING,
  serviceName: STRING,
  sessionType: STRING,
  when: TIME,
  policyFailures: listOf(
    objectOf({ policyId: STRING, policyName: STRING, checks: listOf({ type: 'object' }) }),
  ),
});

/** Each type of checks has members of its own in the data, and in those of a session. */
interface PostureDataNode {
  readonly postureData: JsonObject & { readonly apiSessions: readonly SessionPostureNode[] };
}

type SessionPostureNode = JsonObject & {
  readonly mfa: { readonly apiSessionId: string };
  readonly sdkInfo: SdkInfo | null;
};

/** Clients look sessions up by their ids. */
const postureData = ({ postureData: { apiSessions, ...data } }: PostureDataNode): JsonObject => ({
  ...data,
  apiSessionPostureData: Object.fromEntries(
    apiSessions.map(({ sdkInfo, ...posture }) => [
      posture.mfa.apiSessionId,
      sdkInfo ? { ...posture, sdkInfo: withoutNulls(sdkInfo) } : posture,
    ]),
  ),
});
