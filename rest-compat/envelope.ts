import type { ApiError } from '../src/kernel/errors.js';
import type { Connection } from './row.js';

/** Every answer but the few raw ones is `{data, meta}` or `{error, meta}`. */

const VERSIONS = '"apiEnrollmentVersion":"0.0.1","apiVersion":"0.0.1"';

/** What clients know as "no limit": the largest 64-bit integer, which a JavaScript number can not hold. */
const UNLIMITED = '9223372036854775807';

export const dataEnvelope = (data: unknown): string =>
  `{"data":${JSON.stringify(data)},"meta":{${VERSIONS}}}`;

export function listEnvelope(
  rows: readonly unknown[],
  { pagination }: Connection,
  filterableFields: string,
): string {
  const limit = pagination.limit === null ? UNLIMITED : String(pagination.limit);
  const paging = `{"limit":${limit},"offset":${String(pagination.offset)},"totalCount":${String(pagination.totalCount)}}`;
  return `{"data":${JSON.stringify(rows)},"meta":{${VERSIONS},"filterableFields":${filterableFields},"pagination":${paging}}}`;
}

/** `cause` is a field error, or a nested error with a statement. */
export function errorEnvelope(error: ApiError, requestId: string): string {
  const body = {
    code: error.code,
    message: error.message,
    requestId,
    ...(error.detail ? { cause: causeOf(error.detail) } : {}),
  };
  return `{"error":${JSON.stringify(body)},"meta":{${VERSIONS}}}`;
}

/** Causes show values as text. */
function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function causeOf(detail: NonNullable<ApiError['detail']>): object {
  if (detail.kind === 'message') return { code: 'UNHANDLED', message: detail.message };
  const { field, reason, value } = detail;
  return { field, reason, value: textOf(value) };
}
