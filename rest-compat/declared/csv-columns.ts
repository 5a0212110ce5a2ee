import { isObjectType, type GraphQLNamedType } from 'graphql';
import { restMemberOf } from '../../src/kernel/graph/rest-member.js';
import type { Columns } from '../../src/kernel/graph/rest-operation.js';
import type { Column } from '../engine/rest-row.js';

/** Gives the columns of a list as its answer declares them; a column exists with its member. */
export const csvColumns = (entry: GraphQLNamedType, columns: Columns): Column[] =>
  Object.entries(columns).map(([name, value]) =>
    typeof value === 'function'
      ? { name, text: value, onlyWith: undefined }
      : { name, ...memberColumn(entry, value.split('.')) },
  );

function memberColumn(entry: GraphQLNamedType, path: readonly string[]): Omit<Column, 'name'> {
  const members = isObjectType(entry) ? Object.values(entry.getFields()) : [];
  const field = members.find((member) => {
    const { restName = member.name, graphOnly } = restMemberOf(member);
    return restName === path[0] && !graphOnly;
  });
  if (!field) throw new Error(`${entry.name} has no member ${String(path[0])}`);
  return { text: (node: unknown) => textAt(node, path), onlyWith: restMemberOf(field).onlyWith };
}

function textAt(node: unknown, path: readonly string[]): string {
  const value = path.reduce<unknown>(
    (outer, name) => (outer as Readonly<Record<string, unknown>> | null | undefined)?.[name],
    node,
  );
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
