import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type SelectionSetNode,
} from 'graphql';
import {
  BOOLEAN,
  INTEGER,
  listOf,
  objectOf,
  STRING,
  TIME,
  type Schema,
} from '../../src/kernel/declare/rest-schema.js';

/** The bounds of GraphQL's `Int`. */
export const MIN_INT = -2_147_483_648;
export const MAX_INT = 2_147_483_647;

/** JSON schemas of GraphQL types. */

const SCALARS: Readonly<Record<string, Schema>> = {
  String: STRING,
  ID: STRING,
  Int: INTEGER,
  Float: { type: 'number' },
  Boolean: BOOLEAN,
  DateTime: TIME,
  JSON: {},
  JSONObject: { type: 'object' },
};

/** @param needs members of objects that REST requires although the graph does not */
export function inputTypeSchema(type: GraphQLInputType, needs: readonly string[] = []): Schema {
  const inner = getNullableType(type);
  if (isListType(inner)) return listOf(inputTypeSchema(inner.ofType, needs));
  if (isEnumType(inner)) return { type: 'string', enum: inner.getValues().map(({ name }) => name) };
  if (isInputObjectType(inner)) return membersSchema(Object.values(inner.getFields()), needs);
  return SCALARS[inner.name] ?? {};
}

/** Whether a value is required. */
export const isRequired = ({ type, defaultValue }: GraphQLArgument | GraphQLInputField): boolean =>
  isNonNullType(type) && defaultValue === undefined;

/** The schema of an object whose members are arguments of a field or members of an input object. */
export function membersSchema(
  members: readonly (GraphQLArgument | GraphQLInputField)[],
  needs: readonly string[] = [],
): Schema {
  const isNeeded = (m: GraphQLArgument | GraphQLInputField): boolean =>
    isRequired(m) || needs.includes(m.name);
  const schemaOf = (m: GraphQLArgument | GraphQLInputField): Schema => {
    const schema = inputTypeSchema(m.type);
    return {
      ...schema,
      ...(m.description ? { description: m.description } : {}),
      // A schema without a type already allows null.
      ...(isNeeded(m) || schema.type === undefined ? {} : { nullable: true }),
    };
  };
  return objectOf(
    Object.fromEntries(members.map((m) => [m.name, schemaOf(m)])),
    members.filter(isNeeded).map(({ name }) => name),
  );
}

/** The schema of a scalar or an enum in answers. */
export const leafSchema = (type: GraphQLOutputType): Schema => SCALARS[String(type)] ?? STRING;

interface OutputOptions {
  /** With the descriptions of the fields; the schemas of envelopes go without. */
  readonly isDescribed?: boolean;
}

/** The schema of the result of a selection. */
export function selectedSchema(
  type: GraphQLOutputType,
  selection: string,
  options: OutputOptions = {},
): Schema {
  if (selection === '') return outputSchema(type, undefined, options);
  const [operation] = parse(`{ ${selection} }`, { noLocation: true }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no selection');
  return outputSchema(type, operation.selectionSet, options);
}

function outputSchema(
  type: GraphQLOutputType,
  selected: SelectionSetNode | undefined,
  options: OutputOptions,
): Schema {
  const inner = getNullableType(type);
  if (isListType(inner)) return listOf(outputSchema(inner.ofType, selected, options));
  if (!isObjectType(inner)) return leafSchema(inner);
  const fields = inner.getFields();
  const members = (selected?.selections ?? []).flatMap((node): [string, Schema][] => {
    const field = node.kind === Kind.FIELD ? fields[node.name.value] : undefined;
    if (node.kind !== Kind.FIELD || !field) return [];
    const schema = outputSchema(field.type, node.selectionSet, options);
    const description = options.isDescribed ? field.description : undefined;
    const nullable = isNonNullType(field.type) ? {} : { nullable: true };
    return [
      [
        node.alias?.value ?? node.name.value,
        { ...schema, ...(description ? { description } : {}), ...nullable },
      ],
    ];
  });
  return objectOf(Object.fromEntries(members));
}
