import { invalidField } from '../../base/errors.js';

const permissionActions = ['read', 'create', 'update', 'delete'] as const;
type PermissionAction = (typeof permissionActions)[number];

/** All reads of management, and nothing else. */
export const ADMIN_READONLY = 'admin_readonly';

/** Entities whose permissions can be given away, with the actions that can be given one by one. */
const GRANTABLE: Readonly<Record<string, readonly PermissionAction[]>> = {
  'auth-policy': permissionActions,
  ca: permissionActions,
  change: ['read'],
  config: permissionActions,
  'config-type': permissionActions,
  'edge-router-policy': permissionActions,
  enrollment: permissionActions,
  'external-jwt-signer': permissionActions,
  identity: permissionActions,
  ops: ['read', 'update', 'delete'],
  'posture-check': permissionActions,
  router: permissionActions,
  service: permissionActions,
  'service-edge-router-policy': permissionActions,
  'service-policy': permissionActions,
  terminator: permissionActions,
};

/** The actions of an entity that can be given one by one. */
export const actionsOf = (entity: string): readonly string[] => GRANTABLE[entity] ?? [];

/** Every value that `permissions` of an identity may hold. */
export const identityPermissions: readonly string[] = [
  ADMIN_READONLY,
  ...Object.entries(GRANTABLE).flatMap(([entity, actions]) => [
    entity,
    ...actions.map((action) => `${entity}.${action}`),
  ]),
];

const known = new Set(identityPermissions);

/** The permissions of an identity as stored: each once, in byte order. Others are 400, field `permissions`. */
export function checkPermissions(values: unknown): string[] {
  if (values === undefined || values === null) return [];
  if (!Array.isArray(values)) throw invalidField('permissions', 'must be a list', values);
  const names = values.map((value: unknown) => {
    if (typeof value === 'string' && known.has(value)) return value;
    throw invalidField('permissions', `has no permission ${JSON.stringify(value)}`, values);
  });
  return [...new Set(names)].sort();
}
