import {
  getNamedType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import { failure } from '../../base/errors.js';
import { isObject } from '../../base/row.js';

/*
 * Values of variables are checked against their types before the sender is known. The check of each
 * object visits all fields that its type declares.
 */

/** Values in lists and objects; free JSON, such as a network to import, counts as one. */
const MAX_VALUES = 20_000;
/** No type of the schema nests deeper, except one that bounds itself. */
const DEEPEST = 256;

/** @throws ApiError QUERY_TOO_COMPLEX */
export function inputWeight(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const counter = { values: 0 };
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable, type: typeNode } of definition.variableDefinitions ?? []) {
      const type = typeFromAST(schema, typeNode as never);
      const value = variables[variable.name.value];
      if (type && isInputType(type)) count(type, value, counter, 0);
    }
  }
  return counter.values;
}

function count(
  type: GraphQLInputType,
  value: unknown,
  counter: { values: number },
  depth: number,
): void {
  if (depth > DEEPEST) return;
  if (isNonNullType(type)) {
    count(type.ofType, value, counter, depth);
  } else if (isListType(type) && Array.isArray(value)) {
    add(counter, value.length);
    for (const entry of value) count(type.ofType, entry, counter, depth + 1);
  } else {
    countMembers(type, value, counter, depth);
  }
}

function countMembers(
  type: GraphQLInputType,
  value: unknown,
  counter: { values: number },
  depth: number,
): void {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || !isObject(value)) return;
  const fields = named.getFields();
  add(counter, 1);
  for (const [name, member] of Object.entries(value)) {
    add(counter, 1);
    const field = fields[name];
    if (field) count(field.type, member, counter, depth + 1);
  }
}

function add(counter: { values: number }, count: number): void {
  counter.values += count;
  if (counter.values > MAX_VALUES) {
    throw failure(
      'QUERY_TOO_COMPLEX',
      `the number of values in variables is at most ${String(MAX_VALUES)}`,
    );
  }
}
