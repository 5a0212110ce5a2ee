import { description } from '../description/description.js';

/** The logged-in identity, as far as it decides what the page offers. */
export interface Caller {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
}

export type Root = 'Query' | 'Mutation' | 'Subscription';

/**
 * Whether the caller may call an operation of the graph, by the permissions that it declares. The
 * controller decides; this decides only what the page offers.
 */
export function may(caller: Caller, root: Root, operation: string | undefined): boolean {
  if (operation === undefined) return false;
  const needed = description.permissions[root]?.[operation];
  if (needed === undefined) return false;
  return needed.split('+').every((each) => permits(caller, each));
}

function permits(caller: Caller, needed: string): boolean {
  if (caller.isAdmin || ['nothing', 'partial', 'session'].includes(needed)) return true;
  const { permissions } = caller;
  if (needed === 'reader') {
    return permissions.some((each) => !each.includes('.') || each.endsWith('.read'));
  }
  const [entity = '', action] = needed.split('.');
  if (action === undefined) return false;
  if (action === 'read' && permissions.includes('admin_readonly')) return true;
  return permissions.includes(entity) || permissions.includes(needed);
}
