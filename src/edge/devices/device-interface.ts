import { errorBody } from '../../../rest-compat/engine/envelope.js';
import type { DirectoryInterface } from '../directories/directory-door.js';
import { DEVICE_ROUTES } from './device-routes.js';

/** Reports of device management systems. */
export const DEVICES: DirectoryInterface = {
  door: 'devices',
  path: '/devices',
  version: 'v1',
  kind: 'deviceManagement',
  routes: DEVICE_ROUTES,
  contentType: 'application/json',
  refusalBody: (error, requestId) => ({ error: errorBody(error, requestId), meta: {} }),
};
