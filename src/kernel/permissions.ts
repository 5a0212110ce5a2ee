import { failure } from './errors.js';
import type { Caller, RequestContext } from './context.js';
import type { Resource, Verb } from './resource.js';
import { TRUE, type Sql } from './sql.js';

export type Action = 'read' | 'create' | 'update' | 'delete';

/** What an operation asks of its caller. Every operation of either door declares one. */
export type Permission =
  | { readonly need: 'nothing' }
  /** Any valid session. */
  | { readonly need: 'session' }
  | { readonly need: 'admin' }
  | {
      readonly need: 'entity';
      readonly entity: string;
      readonly action: Action;
      /** Any session may ask; without the permission it sees only rows declared visible to it. */
      readonly scoped?: true;
    };

export const OPEN: Permission = { need: 'nothing' };
export const SESSION: Permission = { need: 'session' };
export const ADMIN: Permission = { need: 'admin' };
export const may = (entity: string, action: Action): Permission =>
  entity === 'admin' && action !== 'read' ? ADMIN : { need: 'entity', entity, action };

/** What reading entities of a resource asks for. */
export function reading({ options }: Resource): Permission {
  const permission = may(options.permission, 'read');
  return permission.need === 'entity' && options.visible
    ? { ...permission, scoped: true }
    : permission;
}

const ACTIONS: Record<Verb, Action> = {
  create: 'create',
  replace: 'update',
  update: 'update',
  delete: 'delete',
};

export const actionOf = (verb: Verb): Action => ACTIONS[verb];

/** admin, or admin_readonly for reads, or `<entity>`, or `<entity>.<action>`. */
export function permits(caller: Caller | undefined, permission: Permission): boolean {
  if (permission.need === 'nothing') return true;
  if (!caller) return false;
  if (permission.need === 'session' || caller.isAdmin) return true;
  if (permission.need === 'admin') return false;
  const { entity, action, scoped } = permission;
  if (scoped) return true;
  if (action === 'read' && caller.permissions.includes('admin_readonly')) return true;
  return caller.permissions.includes(entity) || caller.permissions.includes(`${entity}.${action}`);
}

/** Refusals are 401, never 403: the wire contract's clients expect so. */
export function permit(ctx: RequestContext, permission: Permission): Caller {
  if (!ctx.caller || !permits(ctx.caller, permission)) throw failure('UNAUTHORIZED');
  return ctx.caller;
}

/** The rows of a resource that the caller may read; refuses where there can be none. */
export function readable(
  ctx: RequestContext,
  resource: Resource,
): ((alias: string) => Sql) | undefined {
  if (permits(ctx.caller, may(resource.options.permission, 'read'))) return () => TRUE;
  const { visible } = resource.options;
  if (!visible || !ctx.caller) return undefined;
  return (alias) => visible(ctx, alias);
}
