import { invalidField } from '../../../base/errors.js';
import type { Grantable } from '../../../kernel/declare/grantable.js';

/** All reads of management, and nothing else. */
export const ADMIN_READONLY = 'admin_readonly';

/** Every value that `permissions` of an identity may hold. */
export const identityPermissions = (grantable: Grantable): string[] => [
  ADMIN_READONLY,
  ...[...grantable].flatMap(([entity, actions]) => [
    entity,
    ...actions.map((action) => `${entity}.${action}`),
  ]),
];

/** The permissions of an identity as stored: each once, in byte order. Others are 400, field `permissions`. */
export function checkPermissions(grantable: Grantable, values: unknown): string[] {
  const permissions = new Set(identityPermissions(grantable));
  if (values === undefined || values === null) return [];
  if (!Array.isArray(values)) throw invalidField('permissions', 'must be a list', values);
  const names = values.map((value: unknown) => {
    if (typeof value === 'string' && permissions.has(value)) return value;
    throw invalidField('permissions', `has no permission ${JSON.stringify(value)}`, values);
  });
  return [...new Set(names)].sort();
}
