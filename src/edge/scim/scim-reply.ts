import type { ApiError } from '../../base/errors.js';
import type { JsonObject } from '../../base/row.js';
import { ScimError } from '../../access/directories/index.js';
import type { DirectoryReply } from '../directories/directory-request.js';

export const SCIM_TYPE = 'application/scim+json';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** An error in the form of RFC 7644 3.12. */
const errorOf = (status: number, detail: string, scimType: string | undefined): JsonObject => ({
  ...{ schemas: [ERROR], status: String(status), detail },
  ...(scimType === undefined ? {} : { scimType }),
});

/** The refusal of an error in the words of SCIM. */
export function scimRefusal(error: unknown): DirectoryReply | undefined {
  if (!(error instanceof ScimError)) return undefined;
  const { status, message, scimType } = error;
  return { status, body: errorOf(status, message, scimType) };
}

export function refusalBody(error: ApiError): JsonObject {
  const scimType = error.code === 'COULD_NOT_PARSE_BODY' ? 'invalidSyntax' : undefined;
  return errorOf(error.status, detailOf(error), scimType);
}

function detailOf({ detail, message }: ApiError): string {
  if (detail?.kind === 'field') return `${detail.field}: ${detail.reason}`;
  return detail === undefined ? message : detail.message;
}
