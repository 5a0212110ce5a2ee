import { retryAfterOf, type ApiError } from '../../base/errors.js';
import { ScimError } from '../../access/directories/index.js';
import type { DirectoryReply } from '../directories/directory-request.js';

export const SCIM_TYPE = 'application/scim+json';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** A refusal in the form of RFC 7644 3.12. */
export function refusal(error: ScimError | ApiError): DirectoryReply {
  const body = { schemas: [ERROR], status: String(error.status), detail: detailOf(error) };
  if (error instanceof ScimError) {
    const { scimType } = error;
    return { status: error.status, body: scimType === undefined ? body : { ...body, scimType } };
  }
  return { status: error.status, headers: headersOf(error), body };
}

function detailOf(error: ScimError | ApiError): string {
  const cause = 'detail' in error ? error.detail : undefined;
  if (cause?.kind === 'field') return `${cause.field}: ${cause.reason}`;
  return cause === undefined ? error.message : cause.message;
}

function headersOf(error: ApiError): Record<string, string> {
  const seconds = retryAfterOf(error);
  return {
    ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
}
