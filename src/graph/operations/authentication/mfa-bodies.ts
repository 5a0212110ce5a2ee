import { withoutNulls } from '../../../base/without-nulls.js';
import { link, type Link } from '../../../kernel/declare/rest.js';
import {
  BOOLEAN,
  listOf,
  objectOf,
  ref,
  STRING,
  TIME,
} from '../../../kernel/declare/rest-schema.js';
import { BOTH, type RestAnswer, type RestOperation } from '../../../kernel/graph/rest-operation.js';

/** The REST view of second factors. */

const MFA = 'current-identity/mfa';

/** An operation on the second factor of the caller. */
export const onOwnMfa = (
  method: RestOperation['method'],
  below: string,
  operationId: string,
): Pick<RestOperation, 'on' | 'method' | 'path' | 'operationId' | 'tag'> => ({
  on: BOTH,
  method,
  path: `/${MFA}${below}`,
  operationId,
  tag: 'mfa',
});

/** The code is in the body or in a header, empty when both lack it. */
export const OPTIONAL_CODE: Pick<RestOperation, 'arguments' | 'anyText' | 'isLenient'> = {
  arguments: {
    code: { memberOrHeader: 'mfa-validation-code', description: 'A current one-time code.' },
  },
  anyText: true,
  isLenient: true,
};

const linksOf = (isVerified: boolean): Record<string, Link> => ({
  self: link(MFA),
  'current-identity': link('current-identity'),
  ...(isVerified
    ? { 'recovery-codes': link(`${MFA}/recovery-codes`) }
    : { verify: link(`${MFA}/verify`), qr: link(`${MFA}/qr-code`) }),
});

const SHARED = {
  _links: ref('Links'),
  id: STRING,
  createdAt: TIME,
  updatedAt: TIME,
  tags: { type: 'object' },
};

export const CREATED_MFA: RestAnswer = { kind: 'created', self: MFA };

export const OWN_MFA: RestAnswer = {
  kind: 'data',
  view: (factor: { readonly isVerified: boolean }) => ({
    _links: linksOf(factor.isVerified),
    tags: {},
    ...withoutNulls(factor),
  }),
  schema: objectOf(
    { ...SHARED, isVerified: BOOLEAN, provisioningUrl: STRING, recoveryCodes: listOf(STRING) },
    ['_links', 'id', 'createdAt', 'updatedAt', 'isVerified'],
  ),
};

export const RECOVERY_CODES: RestAnswer = {
  kind: 'data',
  select: 'recoveryCodes mfa { id createdAt updatedAt }',
  view: ({ mfa, recoveryCodes }: { readonly mfa: object; readonly recoveryCodes: unknown }) => ({
    _links: linksOf(true),
    tags: {},
    ...withoutNulls({ ...mfa, recoveryCodes }),
  }),
  schema: objectOf({ ...SHARED, recoveryCodes: listOf(STRING) }),
};
