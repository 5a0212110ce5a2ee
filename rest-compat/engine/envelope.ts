import { failure, type ApiError, type ErrorCode } from '../../src/base/errors.js';
import type { Connection } from './rest-row.js';

/** Every answer except raw ones is `{data, meta}` or `{error, meta}`. */

const VERSIONS = '"apiEnrollmentVersion":"0.0.1","apiVersion":"0.0.1"';

type Pagination = Connection['pagination'];

/**
 * The value for "no limit": the largest 64-bit integer, which a JavaScript number can not
 * represent.
 */
const UNLIMITED = '9223372036854775807';

export const dataEnvelope = (data: unknown): string =>
  `{"data":${JSON.stringify(data)},"meta":{${VERSIONS}}}`;

export function listEnvelope(
  rows: readonly unknown[],
  { pagination }: Connection,
  filterableFields: string,
): string {
  return `{"data":${JSON.stringify(rows)},"meta":${listMeta(pagination, filterableFields)}}`;
}

function listMeta({ limit, offset, totalCount }: Pagination, filterableFields: string): string {
  const shown = limit === null ? UNLIMITED : String(limit);
  const paging = `{"limit":${shown},"offset":${String(offset)},"totalCount":${String(totalCount)}}`;
  return `{${VERSIONS},"filterableFields":${filterableFields},"pagination":${paging}}`;
}

/** The same text in pieces, for rows that come in slices; a slice must not be empty. */
export async function* listEnvelopeInSlices(
  slices: AsyncIterable<readonly unknown[]>,
  { pagination }: Connection,
  filterableFields: string,
): AsyncGenerator<string> {
  let before = '{"data":[';
  for await (const rows of slices) {
    yield before + JSON.stringify(rows).slice(1, -1);
    before = ',';
  }
  yield `],"meta":${listMeta(pagination, filterableFields)}}`;
}

/** Errors that REST shows with another code; the cause has the original message. */
const SHOWN_AS: Readonly<Partial<Record<ErrorCode, ApiError>>> = {
  NOT_ACCEPTABLE: failure('COULD_NOT_VALIDATE'),
  UNSUPPORTED_MEDIA_TYPE: failure('COULD_NOT_VALIDATE'),
};

/** `cause` is a field error, a nested error with a message, or data. */
export function errorEnvelope(error: ApiError, requestId: string): string {
  const replacement = SHOWN_AS[error.code];
  const body = replacement
    ? errorBody(replacement, requestId, error.detail ?? { kind: 'message', message: error.message })
    : errorBody(error, requestId);
  return `{"error":${JSON.stringify(body)},"meta":{${VERSIONS}}}`;
}

/** An error without its envelope. */
export const errorBody = (
  error: ApiError,
  requestId: string,
  detail: ApiError['detail'] = error.detail,
): object => ({
  code: error.code,
  message: error.message,
  requestId,
  ...(detail ? { cause: causeOf(detail) } : {}),
});

/** The text of a value in a cause. */
function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function causeOf(detail: NonNullable<ApiError['detail']>): object {
  if (detail.kind === 'message') return { code: 'UNHANDLED', message: detail.message };
  if (detail.kind === 'data') return { message: detail.message, data: detail.data };
  if (detail.kind === 'resume') return { message: detail.message, data: { cursor: detail.cursor } };
  const { field, reason, value } = detail;
  return { field, reason, value: textOf(value) };
}
