import type { DirectoryInterface } from '../directories/directory-door.js';
import { DISCOVERY_ROWS } from './discovery-rows.js';
import { GROUP_ROWS } from './group-rows.js';
import { refusalBody, SCIM_TYPE, scimRefusal } from './scim-reply.js';
import { USER_ROWS } from './user-rows.js';

/** SCIM 2.0 for identity providers. */
export const SCIM: DirectoryInterface = {
  door: 'scim',
  path: '/scim',
  version: 'v2',
  kind: 'identityProvider',
  routes: [...DISCOVERY_ROWS, ...USER_ROWS, ...GROUP_ROWS],
  contentType: SCIM_TYPE,
  refusalBody,
  ownRefusal: scimRefusal,
};
