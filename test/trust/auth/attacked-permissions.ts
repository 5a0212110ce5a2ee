import { Kind, parse, type GraphQLSchema } from 'graphql';
import type { Grantable } from '../../../src/kernel/declare/grantable.js';
import type { Permission } from '../../../src/kernel/declare/permissions.js';
import { permissionOf } from '../../../src/kernel/graph/needs.js';

/** Which permissions an intruder has used, as `<entity>.<action>`. */

/** Operation -> the permission that it declares. */
export type Needs = ReadonlyMap<string, Permission>;

export function needsOf(schema: GraphQLSchema): Needs {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const fields = roots.flatMap((root) => Object.values(root?.getFields() ?? {}));
  return new Map(
    fields.flatMap((field) => {
      const permission = permissionOf(field);
      return permission ? [[field.name, permission] as const] : [];
    }),
  );
}

/** The operations that a document asks for. */
export const operationsIn = (document: string): string[] =>
  parse(document).definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? definition.selectionSet.selections.flatMap((field) =>
          field.kind === Kind.FIELD ? [field.name.value] : [],
        )
      : [],
  );

/** The permissions that can be given, and that none of the operations needs. */
export function unattackedPermissions(
  grantable: Grantable,
  needs: Needs,
  operations: Iterable<string>,
): string[] {
  const attacked = new Set<string>();
  for (const operation of operations) {
    const permission = needs.get(operation);
    if (permission?.need === 'entity') attacked.add(`${permission.entity}.${permission.action}`);
  }
  return [...grantable]
    .flatMap(([entity, actions]) => actions.map((action) => `${entity}.${action}`))
    .filter((permission) => !attacked.has(permission));
}
