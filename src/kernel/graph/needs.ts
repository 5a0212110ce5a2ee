import { GraphQLObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';
import type { RequestContext } from '../request/context.js';
import { failure } from '../../base/errors.js';
import { permits, type Permission } from '../declare/permissions.js';

/*
 * The permission of an operation is part of the schema: declared with the field, enforced from
 * there, and read from there by whoever lists what needs which permission.
 */

/** Declares what a query, a mutation or a relation asks of its caller. */
export const Needs =
  (permission: Permission) =>
  (prototype: object, name: string): void => {
    Extensions({ permission })(prototype, name, {});
  };

export const permissionOf = (
  field: Pick<GraphQLField<unknown, unknown>, 'extensions'>,
): Permission | undefined => field.extensions.permission as Permission | undefined;

/**
 * Puts the declared permission before every query, mutation and subscription; one without a
 * declaration fails the start. Relations are refused where their list is read, which knows the rows
 * that may be seen.
 */
export function enforcePermissions(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const root of roots) {
    if (!(root instanceof GraphQLObjectType)) continue;
    for (const [name, field] of Object.entries(root.getFields())) {
      const permission = permissionOf(field);
      if (!permission) throw new Error(`${root.name}.${name} lacks @Needs(<permission>)`);
      // An event of a subscription was let through when it began.
      const phase = root === schema.getSubscriptionType() ? 'subscribe' : 'resolve';
      guard(field as GraphQLField<unknown, LastingContext>, phase, permission);
    }
  }
}

/** For what lasts: a permission that has to hold on. */
export interface LastingContext extends RequestContext {
  /** Hears what each operation that runs asks of its caller. */
  readonly onPermitted?: (permission: Permission) => void;
}

function guard(
  field: GraphQLField<unknown, LastingContext>,
  phase: 'resolve' | 'subscribe',
  permission: Permission,
): void {
  const inner = field[phase];
  field[phase] = (root, args, ctx, info): unknown => {
    if (!permits(ctx.caller, permission)) throw failure('UNAUTHORIZED');
    ctx.onPermitted?.(permission);
    return inner?.(root, args, ctx, info);
  };
}
