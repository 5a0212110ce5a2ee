import { link, type Link } from '../../src/kernel/declare/rest.js';
import { FACTORLESS, may, PARTIAL, SESSION } from '../../src/kernel/declare/permissions.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { isText, needed } from '../engine/body-members.js';
import { BOTH, byId, objectOf, STRING, TIME } from './hand-shapes.js';
import type { Parameter, RestRequest, RestRow, Schema } from '../engine/rest-row.js';
import { ref } from '../engine/openapi-schema.js';
import { withoutNulls } from '../../src/base/without-nulls.js';

/** Second factors: one-time codes and recovery codes. */
export const mfaRows = (): RestRow[] => [...factorRows(), ...setupRows(), ...recoveryCodeRows()];

const CODE = objectOf({ code: STRING });
const OPTIONAL_CODE: Schema = { ...objectOf({ code: STRING }, []), nullable: true };
type Code = { readonly code: string };

const codeIn = ({ body }: RestRequest): Code => ({ code: needed(body, 'code', 'string', isText) });

/** A code that no database stores is a wrong one. */
const CODE_BODY: Pick<RestRow, 'body' | 'anyText'> = {
  body: { kind: 'json', required: true, schema: CODE },
  anyText: true,
};
const OPTIONAL_CODE_BODY: Pick<RestRow, 'body' | 'anyText'> = {
  body: { kind: 'json', required: false, schema: OPTIONAL_CODE },
  anyText: true,
};

const VALIDATION_CODE: Parameter = {
  name: 'mfa-validation-code',
  in: 'header',
  description: 'A one-time code of now.',
  schema: STRING,
};

const MFA = 'current-identity/mfa';

const mfa = (
  method: RestRow['method'],
  below: string,
  operationId: string,
  permission = FACTORLESS,
): Pick<
  RestRow,
  'on' | 'method' | 'path' | 'operationId' | 'tag' | 'permission' | 'status' | 'variables'
> => ({
  on: BOTH,
  method,
  path: `/${MFA}${below}`,
  operationId,
  tag: 'mfa',
  permission,
  status: 200,
  variables: () => ({}),
});

const mfaLinks = (isVerified: boolean): Record<string, Link> => ({
  self: link(MFA),
  'current-identity': link('current-identity'),
  ...(isVerified
    ? { 'recovery-codes': link(`${MFA}/recovery-codes`) }
    : { verify: link(`${MFA}/verify`), qr: link(`${MFA}/qr-code`) }),
});

/** A second factor; times are texts. */
interface Factor {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What is null is left out: clients tell the states apart by what is there. */
const mfaView = (factor: Factor & { readonly isVerified: boolean }): JsonObject => ({
  _links: mfaLinks(factor.isVerified),
  tags: {},
  ...withoutNulls(factor),
});

const MFA_SCHEMA = objectOf(
  {
    _links: ref('Links'),
    id: STRING,
    createdAt: TIME,
    updatedAt: TIME,
    tags: { type: 'object' },
    isVerified: { type: 'boolean' },
    provisioningUrl: STRING,
    recoveryCodes: { type: 'array', items: STRING },
  },
  ['_links', 'id', 'createdAt', 'updatedAt', 'isVerified'],
);

const MFA_FIELDS = 'id createdAt updatedAt isVerified provisioningUrl recoveryCodes';

/** The code of a request that may leave it out: from the body, else from the header. */
const optionalCode = ({ body, headers }: RestRequest): Code => {
  const inBody = isObject(body) ? body.code : undefined;
  const inHeader = headers['mfa-validation-code'];
  return { code: [inBody, inHeader].find(isText) ?? '' };
};

function factorRows(): RestRow[] {
  return [
    {
      on: BOTH,
      method: 'POST',
      path: '/authenticate/mfa',
      operationId: 'authenticateMfa',
      tag: 'mfa',
      summary: 'Proves the second factor, for the rest of the session.',
      permission: PARTIAL,
      document: 'mutation ($code: String!) { result: authenticateMfa(code: $code) }',
      variables: codeIn,
      ...CODE_BODY,
      status: 200,
      errors: [400, 401, 409],
      answer: { kind: 'empty' },
    },
    {
      ...mfa('GET', '', 'detailMfa'),
      summary: 'The second factor of the caller.',
      document: `query { result: currentMfa { ${MFA_FIELDS} } }`,
      errors: [401, 404],
      answer: { kind: 'data', view: mfaView, schema: MFA_SCHEMA },
    },
    {
      ...mfa('DELETE', '', 'deleteMfa', SESSION),
      summary: 'Removes the second factor; the code may be empty while it is pending.',
      document: 'mutation ($code: String!) { result: deleteCurrentMfa(code: $code) }',
      variables: optionalCode,
      parameters: [VALIDATION_CODE],
      ...OPTIONAL_CODE_BODY,
      errors: [400, 401, 404],
      answer: { kind: 'empty' },
    },
    {
      on: ['management'],
      method: 'DELETE',
      path: '/identities/{id}/mfa',
      operationId: 'removeIdentityMfa',
      tag: 'identities',
      summary: 'Takes the second factor of an identity away.',
      permission: may('identity', 'update'),
      document: 'mutation ($id: ID!) { result: removeIdentityMfa(id: $id) }',
      variables: byId,
      status: 200,
      errors: [401, 404],
      answer: { kind: 'empty' },
    },
  ];
}

const RECOVERY_SCHEMA = objectOf({
  _links: ref('Links'),
  id: STRING,
  createdAt: TIME,
  updatedAt: TIME,
  tags: { type: 'object' },
  recoveryCodes: { type: 'array', items: STRING },
});

interface RecoveryCodes {
  readonly mfa: Factor;
  readonly recoveryCodes: readonly string[];
}

/** Only a factor that is verified shows its codes. */
const recoveryView = ({ mfa: factor, recoveryCodes }: RecoveryCodes): JsonObject => ({
  _links: mfaLinks(true),
  tags: {},
  ...withoutNulls({ ...factor, recoveryCodes }),
});

function setupRows(): RestRow[] {
  return [
    {
      ...mfa('POST', '', 'enrollMfa'),
      summary: 'Begins to set up a second factor.',
      document: 'mutation { result: createCurrentMfa }',
      status: 201,
      errors: [401, 409],
      answer: { kind: 'created', self: MFA, id: (id: string) => id },
    },
    {
      ...mfa('POST', '/verify', 'verifyMfa'),
      summary: 'Completes the pending second factor.',
      document: 'mutation ($code: String!) { result: verifyCurrentMfa(code: $code) }',
      variables: codeIn,
      ...CODE_BODY,
      errors: [400, 401, 404],
      answer: { kind: 'empty' },
    },
    {
      ...mfa('GET', '/qr-code', 'detailMfaQrCode'),
      summary: 'A picture of the provisioning URL, while the factor is pending.',
      document: 'query { result: currentMfaQrCode }',
      errors: [401, 404],
      answer: {
        kind: 'raw',
        contentType: 'image/png',
        view: (png: string) => Buffer.from(png, 'base64'),
      },
    },
  ];
}

function recoveryCodeRows(): RestRow[] {
  return [
    {
      ...mfa('GET', '/recovery-codes', 'detailMfaRecoveryCodes', SESSION),
      summary: 'The recovery codes that are left.',
      document: `mutation ($code: String!) { result: currentMfaRecoveryCodes(code: $code) { recoveryCodes mfa { id createdAt updatedAt } } }`,
      variables: optionalCode,
      parameters: [VALIDATION_CODE],
      ...OPTIONAL_CODE_BODY,
      errors: [400, 401, 404],
      answer: { kind: 'data', view: recoveryView, schema: RECOVERY_SCHEMA },
    },
    {
      ...mfa('POST', '/recovery-codes', 'createMfaRecoveryCodes', SESSION),
      summary: 'Replaces all recovery codes.',
      document: 'mutation ($code: String!) { result: createCurrentMfaRecoveryCodes(code: $code) }',
      variables: codeIn,
      ...CODE_BODY,
      errors: [400, 401, 404],
      answer: { kind: 'empty' },
    },
  ];
}
