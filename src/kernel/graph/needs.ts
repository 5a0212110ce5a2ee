import { GraphQLObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';
import type { RequestContext } from '../request/context.js';
import { forgetMade } from '../request/per-request.js';
import { may, permits, unauthorized, type Permission } from '../declare/permissions.js';

/*
 * The permission of an operation is part of the schema: a field declares it, the schema enforces
 * it, and lists of permissions read it from there.
 */

/** Declares the permission that a query, a mutation or a relation needs. */
export const Needs =
  (permission: Permission) =>
  (prototype: object, name: string): void => {
    Extensions({ permission })(prototype, name, {});
  };

/** Declares entities that the caller of an operation must be permitted to read as well. */
export const AlsoReads =
  (...entities: readonly string[]) =>
  (prototype: object, name: string): void => {
    Extensions({ alsoReads: entities })(prototype, name, {});
  };

type Declared = Pick<GraphQLField<unknown, unknown>, 'extensions'>;

export const permissionOf = (field: Declared): Permission | undefined =>
  field.extensions.permission as Permission | undefined;

/** The entities that the caller must be permitted to read beside the permission of the field. */
export const alsoReadBy = (field: Declared): readonly string[] =>
  (field.extensions.alsoReads as readonly string[] | undefined) ?? [];

/**
 * Checks the declared permission before every query, mutation and subscription. An operation
 * without a declaration fails the start. Relations are checked where their list is read, since that
 * code knows the visible rows.
 */
export function enforcePermissions(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const root of roots) {
    if (!(root instanceof GraphQLObjectType)) continue;
    for (const [name, field] of Object.entries(root.getFields())) {
      const permission = permissionOf(field);
      if (!permission) throw new Error(`${root.name}.${name} lacks @Needs(<permission>)`);
      // The permission of a subscription is checked when it begins, not at each event.
      const phase = root === schema.getSubscriptionType() ? 'subscribe' : 'resolve';
      const isWrite = root === schema.getMutationType();
      const further = alsoReadBy(field).map((entity) => may(entity, 'read'));
      guard(field as GuardedField, { phase, isWrite }, [permission, ...further]);
    }
  }
}

/** The context of a subscription, whose permission must stay valid. */
export interface PermissionListenerContext extends RequestContext {
  /** Called with the permission of each operation that runs. */
  readonly onPermitted?: (permission: Permission) => void;
}

type GuardedField = GraphQLField<unknown, PermissionListenerContext>;

function guard(
  field: GuardedField,
  { phase, isWrite }: { readonly phase: 'resolve' | 'subscribe'; readonly isWrite: boolean },
  permissions: readonly Permission[],
): void {
  const inner = field[phase];
  field[phase] = (root, args, ctx, info): unknown => {
    for (const permission of permissions) {
      if (!permits(ctx.caller, permission)) throw unauthorized(ctx.caller);
      ctx.onPermitted?.(permission);
    }
    // Mutations run one after the other, each with the selection of its answer.
    if (isWrite) forgetMade(ctx);
    return inner?.(root, args, ctx, info);
  };
}
