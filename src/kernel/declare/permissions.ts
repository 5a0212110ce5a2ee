import type { FilterSymbol, SymbolTable } from '../filter/index.js';
import { failure, type ApiError } from '../../base/errors.js';
import type { AuthQuery, Caller, RequestContext } from '../request/context.js';
import type { Relation, Resource } from './resource.js';
import { actionOf, type Action, type Verb } from './verbs.js';
import { column, sql, TRUE, type LargeValue, type Sql } from '../../base/sql.js';

/** The permission that an operation needs. Every operation of GraphQL and REST declares one. */
export type Permission =
  | { readonly need: 'nothing' }
  /**
   * Any session, even a partly authenticated one; with `but`, only this authentication query may be
   * open.
   */
  | { readonly need: 'partial'; readonly but?: AuthQuery['typeId'] }
  /** Any fully authenticated session. */
  | { readonly need: 'session' }
  /** Any fully authenticated session with at least one read permission. */
  | { readonly need: 'reader' }
  | { readonly need: 'admin' }
  | {
      readonly need: 'entity';
      readonly entity: string;
      readonly action: Action;
      /**
       * Any session may call it. Without the permission it sees only rows that are declared visible
       * to it, and of one entity only relations whose permission it has.
       */
      readonly scoped?: true;
      /** `admin_readonly` does not include it: the operation does more than read. */
      readonly isBeyondReading?: true;
    };

export const OPEN: Permission = { need: 'nothing' };
export const PARTIAL: Permission = { need: 'partial' };
/** A session whose only open authentication query is MFA may enroll in MFA. */
export const FACTORLESS: Permission = { need: 'partial', but: 'MFA' };
export const SESSION: Permission = { need: 'session' };
export const READER: Permission = { need: 'reader' };
export const ADMIN: Permission = { need: 'admin' };
export const may = (entity: string, action: Action): Permission =>
  entity === 'admin' && action !== 'read' ? ADMIN : { need: 'entity', entity, action };

/**
 * Entities whose read permission allows more than reads: `ops.read` inspects routers. So
 * `admin_readonly` does not contain these permissions.
 */
export const BEYOND_READING = ['ops'] as const;

/** The same permission, or a session that sees only its own rows. */
export const orOwn = (permission: Permission): Permission =>
  permission.need === 'entity' ? { ...permission, scoped: true } : permission;

/** The permission to read, for an operation that does more than read: see `BEYOND_READING`. */
export const beyondReading = (entity: (typeof BEYOND_READING)[number]): Permission => ({
  need: 'entity',
  entity,
  action: 'read',
  isBeyondReading: true,
});

/** The permission for the list of a resource. */
export function reading({ options }: Resource): Permission {
  if (options.open) return OPEN;
  const permission = may(options.permission, 'read');
  return options.visible ? orOwn(permission) : permission;
}

/** The permission for a write. */
export const writing = ({ options }: Resource, verb: Verb): Permission =>
  may(options.permission, options.writeAction ?? actionOf(verb));

/**
 * The permission for one entity. Any session may pass, since it may have permissions for relations
 * alone.
 */
export const readingOne = ({ options }: Resource): Permission =>
  orOwn(may(options.permission, 'read'));

/**
 * Whether the caller has `admin`, `admin_readonly` (for reads), `<entity>` or `<entity>.<action>`.
 */
export function permits(caller: Caller | undefined, permission: Permission): boolean {
  if (permission.need === 'nothing') return true;
  if (!caller) return false;
  if (permission.need === 'partial') {
    const { but } = permission;
    return but === undefined || caller.authQueries.every(({ typeId }) => typeId === but);
  }
  if (caller.authQueries.length > 0) return false;
  if (permission.need === 'session' || caller.isAdmin) return true;
  if (permission.need === 'reader') return caller.permissions.some(includesRead);
  return permission.need === 'entity' && hasEntityPermission(caller, permission);
}

function hasEntityPermission(
  { permissions }: Caller,
  { entity, action, scoped, isBeyondReading }: Permission & { need: 'entity' },
): boolean {
  if (scoped) return true;
  const isRead = action === 'read' && !isBeyondReading;
  if (isRead && permissions.includes('admin_readonly')) return true;
  return permissions.includes(entity) || permissions.includes(`${entity}.${action}`);
}

/** Whether a granted permission includes reading: `service` and `service.read` do. */
const includesRead = (granted: string): boolean =>
  !granted.includes('.') || granted.endsWith('.read');

/** Whether the caller has the permission for all rows, not only for those declared visible to it. */
export const permitsAll = (caller: Caller | undefined, permission: Permission): boolean =>
  permits(
    caller,
    permission.need === 'entity' ? may(permission.entity, permission.action) : permission,
  );

/** Refusals are 401, never 403: the wire contract's clients expect so. */
export function permit(ctx: RequestContext, permission: Permission): Caller {
  if (!ctx.caller || !permits(ctx.caller, permission)) throw unauthorized(ctx.caller);
  return ctx.caller;
}

/** The refusal of a caller, with the challenge for a JWT that its session lacks. */
export function unauthorized(caller: Caller | undefined): ApiError {
  const error = failure('UNAUTHORIZED');
  if (caller?.challenge !== undefined) error.challenge = caller.challenge;
  return error;
}

/**
 * The names that the caller's filters and orders may use: no secrets, and linked sets only with the
 * permission to read them.
 */
export function filterSymbols(ctx: RequestContext, resource: Resource): SymbolTable {
  const table = ctx.catalog.symbols(resource);
  const isAdmin = ctx.caller?.isAdmin === true;
  const get = (name: string): FilterSymbol | undefined => {
    const symbol = table.get(name);
    if (symbol?.isSecret === true && !isAdmin) throw failure('UNAUTHORIZED');
    return symbol && inRequest(symbol, resource, ctx);
  };
  return { ...table, get };
}

/** Adds the SQL of symbols that depend on the request. */
function inRequest(symbol: FilterSymbol, resource: Resource, ctx: RequestContext): FilterSymbol {
  const relation = resource.relations.get(symbol.sizeOf ?? symbol.name);
  if (relation && (symbol.link ?? symbol.sizeOf) !== undefined) {
    return linkedInRequest(symbol, relation, ctx);
  }
  const condition = resource.attributes.get(symbol.replacedBy ?? symbol.name)?.graphFilter;
  return typeof condition === 'function'
    ? { ...symbol, sql: (alias) => condition(alias, ctx) }
    : symbol;
}

/** Refuses a caller that may not read the linked rows, even if it asks only for their number. */
function linkedInRequest(
  symbol: FilterSymbol,
  { target: name, sizes }: Relation,
  ctx: RequestContext,
): FilterSymbol {
  const target = ctx.catalog.get(name);
  if (!permits(ctx.caller, may(target.options.permission, 'read'))) throw failure('UNAUTHORIZED');
  const size = sizes && ((outer: string) => sizeSql(sizes(ctx), outer));
  if (symbol.sizeOf !== undefined) return { ...symbol, ...(size ? { sql: size } : {}) };
  if (!symbol.link) return symbol;
  const link = { ...symbol.link, symbols: () => filterSymbols(ctx, target) };
  return { ...symbol, link: { ...link, ...(size ? { size } : {}) } };
}

const sizeSql = (sizes: LargeValue, outer: string): Sql =>
  sql`coalesce((${sizes}::jsonb ->> ${column(outer, 'id')})::bigint, 0)`;

/** The condition on rows that the caller may read; undefined when it may read none. */
export function readable(
  ctx: RequestContext,
  resource: Resource,
): ((alias: string) => Sql) | undefined {
  const { visible, open, within } = resource.options;
  if (permits(ctx.caller, may(resource.options.permission, 'read'))) {
    return within ? (alias) => within(ctx, alias) : () => TRUE;
  }
  if (open) return () => TRUE;
  if (!visible || !permits(ctx.caller, SESSION)) return undefined;
  return (alias) => visible(ctx, alias);
}
