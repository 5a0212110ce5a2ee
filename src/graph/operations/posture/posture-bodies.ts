import type { JsonObject } from '../../../base/row.js';
import { withoutNulls } from '../../../base/without-nulls.js';
import { attributesOf, type Attribute } from '../../../kernel/declare/attribute.js';
import { objectOf, type Schema } from '../../../kernel/declare/rest-schema.js';
import type { RestAnswer } from '../../../kernel/graph/rest-operation.js';
import { selectionText } from '../../../kernel/graph/selection-text.js';
import { failureAttributes, reportTypes, sessionViews } from '../../../trust/posture/index.js';
import { SdkInfo } from '../../../resources/identities/identity-shapes.js';

/** The REST form of posture data: reports of clients, and the view of administrators. */

/** Orders members as the database stores them: by length, then by bytes. */
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

/** Members that exist only for checks of some types. */
const TYPE_SPECIFIC_MEMBERS = new Set(failureAttributes.map(({ name }) => name));

/** Gives the actual and required values of a check, without members that its type lacks. */
const failureBody = (failure: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(failure).filter(
      ([name, value]) => value !== null || !TYPE_SPECIFIC_MEMBERS.has(name),
    ),
  );

interface Refused extends JsonObject {
  readonly policyFailures: readonly {
    readonly policyId: string;
    readonly policyName: string;
    readonly checks: readonly JsonObject[];
  }[];
}

const refusalBody = ({ policyFailures, ...request }: Refused): JsonObject => ({
  ...request,
  policyFailures: policyFailures.map(({ checks, ...policy }) => ({
    ...policy,
    checks: checks.map(failureBody),
  })),
});

const REPORTS = reportTypes
  .map(({ member, shape }) => `${member} { ${selectionText(attributesOf(shape))} }`)
  .join(' ');

const sessionMembers = sessionViews.flatMap(({ members }) => Object.entries(members));

const SESSION_MEMBERS = sessionMembers
  .map(([name, { shape }]) => `${name} { ${selectionText(attributesOf(shape))} }`)
  .join(' ');

/** The members of the data, and of a session, come from the types of checks. */
type PostureDataNode = JsonObject & { readonly apiSessions: readonly SessionPostureNode[] };

type SessionPostureNode = JsonObject & {
  readonly mfa: { readonly apiSessionId: string };
  readonly sdkInfo: SdkInfo | null;
};

const postureDataBody = ({ apiSessions, ...data }: PostureDataNode): JsonObject => ({
  ...data,
  apiSessionPostureData: Object.fromEntries(
    apiSessions.map(({ sdkInfo, ...posture }) => [
      posture.mfa.apiSessionId,
      sdkInfo ? { ...posture, sdkInfo: withoutNulls(sdkInfo) } : posture,
    ]),
  ),
});

/** REST clients find sessions by their ids; a session without `sdkInfo` lacks the member. */
const postureDataSchema = ({ properties }: Schema): Schema => {
  const { apiSessions, ...data } = properties as Record<string, Schema>;
  const session = (apiSessions?.items as Schema).properties as Record<string, Schema>;
  const reports = sessionMembers.map(([name]) => name);
  return objectOf({
    ...data,
    apiSessionPostureData: {
      type: 'object',
      additionalProperties: objectOf({ ...session, sdkInfo: { type: 'object' } }, reports),
    },
  });
};

export const POSTURE_DATA_ANSWER: RestAnswer = {
  kind: 'data',
  select: `${REPORTS} apiSessions { ${SESSION_MEMBERS} sdkInfo { ${selectionText(attributesOf(SdkInfo))} } }`,
  view: postureDataBody,
  schema: postureDataSchema,
};

export const FAILED_REQUESTS_ANSWER: RestAnswer = {
  kind: 'data',
  select: `apiSessionId serviceId serviceName sessionType when
    policyFailures { policyId policyName checks { ${CHECK} } }`,
  view: (requests: readonly Refused[]) => requests.map(refusalBody),
};

export const OUTCOME: RestAnswer = {
  kind: 'data',
  select: 'services { id: serviceId name: serviceName postureQueryType timeout timeoutRemaining }',
};
