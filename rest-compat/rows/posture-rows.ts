import { may, SESSION } from '../../src/kernel/declare/permissions.js';
import { isObject, type Row } from '../../src/base/row.js';
import { readPostureResponse, readPostureResponses } from '../../src/posture/index.js';
import { byId, objectOf, STRING, TIME } from './hand-shapes.js';
import { failureView } from './posture-failures.js';
import type { RestRow, Schema } from '../engine/rest-row.js';

/** What devices tell of themselves, and what administrators see of it. */
export const postureRows = (): RestRow[] => [...submitRows(), ...viewRows()];

const INTEGER: Schema = { type: 'integer' };
const BOOLEAN: Schema = { type: 'boolean' };
const listOf = (items: Schema): Schema => ({ type: 'array', items });

const RESPONSE = objectOf(
  {
    id: STRING,
    typeId: { type: 'string', enum: ['OS', 'DOMAIN', 'MAC', 'PROCESS', 'ENDPOINT_STATE'] },
    type: STRING,
    version: STRING,
    build: STRING,
    domain: STRING,
    macAddresses: listOf(STRING),
    path: STRING,
    isRunning: BOOLEAN,
    hash: STRING,
    signerFingerprints: listOf(STRING),
    unlocked: BOOLEAN,
    woken: BOOLEAN,
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
    answer: { kind: 'data' as const, view: (outcome: Row) => outcome, schema: OUTCOME },
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
        os { ${REPORT} type version build } domain { ${REPORT} domain } mac { ${REPORT} addresses }
        processes { ${REPORT} binaryHash isRunning signerFingerprints }
        apiSessions { mfa { apiSessionId passedMfa passedAt passedOnWake passedOnUnlock }
          endpointState { wokenAt unlockedAt } sdkInfo { appId appVersion branch revision type version } } } } }`,
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

/** In the order in which the database keeps them. */
const CHECK = `criteria { wokenAt unlockedAt passedMfaAt timeoutSeconds timeoutRemainingSeconds } semantic
  actualValue expectedValue postureCheckId postureCheckName postureCheckType`;

interface Refused extends Row {
  readonly policyFailures: readonly (Row & { readonly checks: readonly Row[] })[];
}

const refusalView = ({ policyFailures, ...request }: Refused): Row => ({
  ...request,
  policyFailures: policyFailures.map(({ checks, ...policy }) => ({
    ...policy,
    checks: checks.map(failureView),
  })),
});

const REPORT = 'postureCheckId lastUpdatedAt timedOut';

const NULLABLE_TIME: Schema = { ...TIME, nullable: true };

const reportOf = (members: Record<string, Schema>): Schema =>
  objectOf({
    postureCheckId: STRING,
    lastUpdatedAt: NULLABLE_TIME,
    timedOut: BOOLEAN,
    ...members,
  });

const POSTURE_DATA = objectOf({
  os: reportOf({ type: STRING, version: STRING, build: STRING }),
  domain: reportOf({ domain: STRING }),
  mac: reportOf({ addresses: listOf(STRING) }),
  processes: listOf(
    reportOf({ binaryHash: STRING, isRunning: BOOLEAN, signerFingerprints: listOf(STRING) }),
  ),
  apiSessionPostureData: {
    type: 'object',
    additionalProperties: objectOf(
      {
        mfa: objectOf({
          apiSessionId: STRING,
          passedMfa: BOOLEAN,
          passedAt: NULLABLE_TIME,
          passedOnWake: BOOLEAN,
          passedOnUnlock: BOOLEAN,
        }),
        endpointState: objectOf({ wokenAt: NULLABLE_TIME, unlockedAt: NULLABLE_TIME }),
        sdkInfo: { type: 'object' },
      },
      ['mfa', 'endpointState'],
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

/** Clients look sessions up by their ids. */
const postureData = ({
  postureData: { apiSessions, ...data },
}: {
  postureData: Row & { apiSessions: (Row & { mfa: { apiSessionId: string } })[] };
}): Row => ({
  ...data,
  apiSessionPostureData: Object.fromEntries(
    apiSessions.map(({ sdkInfo, ...posture }) => [
      posture.mfa.apiSessionId,
      isObject(sdkInfo) ? { ...posture, sdkInfo: withoutNulls(sdkInfo) } : posture,
    ]),
  ),
});

const withoutNulls = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
