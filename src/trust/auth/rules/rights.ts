import type { Grantable } from '../../../kernel/declare/grantable.js';
import { BEYOND_READING } from '../../../kernel/declare/permissions.js';
import { ADMIN_READONLY } from './identity-permissions.js';

/** The permissions of an identity in the management of the network. */
export interface Rights {
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
}

/**
 * Whether an identity may do something that another may not: the other would gain rights by acting
 * in its name.
 */
export function exceeds(identity: Rights, other: Rights, grantable: Grantable): boolean {
  if (other.isAdmin) return false;
  const { isAdmin, permissions } = identity;
  return isAdmin || !permissions.every((name) => holds(other.permissions, name, grantable));
}

/** Whether an identity may do anything at all in the management of the network. */
export const hasRights = ({ isAdmin, permissions }: Rights): boolean =>
  isAdmin || permissions.length > 0;

/** Whether permissions amount to another one, in one name or in several. */
function holds(own: readonly string[], name: string, grantable: Grantable): boolean {
  const [entity = '', action] = name.split('.');
  if (own.includes(name) || own.includes(entity)) return true;
  if (action === 'read') {
    return own.includes(ADMIN_READONLY) && !BEYOND_READING.some((each) => each === entity);
  }
  const actions = action === undefined ? (grantable.get(entity) ?? []) : [];
  return actions.length > 0 && actions.every((each) => holds(own, `${entity}.${each}`, grantable));
}
