import { errorBody } from '../../../rest-compat/engine/envelope.js';
import { ScimError } from '../../access/directories/index.js';
import { failure, retryAfterOf, type ApiError } from '../../base/errors.js';
import type { JsonObject } from '../../base/row.js';
import type { DirectoryInterface } from '../directories/directory-door.js';
import type { DirectoryReply } from '../directories/directory-request.js';
import { DEVICE_ROUTES } from './device-routes.js';

function refusal(error: ScimError | ApiError, requestId: string): DirectoryReply {
  const apiError =
    error instanceof ScimError ? failure('COULD_NOT_PARSE_BODY', error.message) : error;
  const seconds = retryAfterOf(apiError);
  const headers = {
    ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    ...(apiError.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
  const body = { error: errorBody(apiError, requestId) as JsonObject, meta: {} };
  return { status: apiError.status, headers, body };
}

/** Reports of device management systems. */
export const DEVICES: DirectoryInterface = {
  door: 'devices',
  path: '/devices',
  version: 'v1',
  kind: 'deviceManagement',
  routes: DEVICE_ROUTES,
  contentType: 'application/json',
  refusal,
};
