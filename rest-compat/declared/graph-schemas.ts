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
  type GraphQLObjectType,
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

/** JSON schemas of what the graph takes and gives, and selections that ask for all of a type. */

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

/** @param needs members of objects that have to be there though the graph can do without */
export function inputTypeSchema(type: GraphQLInputType, needs: readonly string[] = []): Schema {
  const inner = getNullableType(type);
  if (isListType(inner)) return listOf(inputTypeSchema(inner.ofType, needs));
  if (isEnumType(inner)) return { type: 'string', enum: inner.getValues().map(({ name }) => name) };
  if (isInputObjectType(inner)) return membersSchema(Object.values(inner.getFields()), needs);
  return SCALARS[inner.name] ?? {};
}

/** Whether a value has to be given. */
export const isRequired = ({ type, defaultValue }: GraphQLArgument | GraphQLInputField): boolean =>
  isNonNullType(type) && defaultValue === undefined;

/** An object whose members are arguments of a field, or of an input object. */
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
      // Without a type it may be null anyway.
      ...(isNeeded(m) || schema.type === undefined ? {} : { nullable: true }),
    };
  };
  return objectOf(
    Object.fromEntries(members.map((m) => [m.name, schemaOf(m)])),
    members.filter(isNeeded).map(({ name }) => name),
  );
}

/** All members of a type, nested ones too, but no other entities and nothing that takes arguments. */
export function wholeSelection(
  type: GraphQLObjectType,
  isEntity: (name: string) => boolean,
): string {
  return Object.values(type.getFields())
    .filter(({ args }) => args.length === 0)
    .flatMap(({ name, type: member }) => {
      const inner = namedType(member);
      if (!isObjectType(inner)) return [name];
      return isEntity(inner.name) ? [] : [`${name} { ${wholeSelection(inner, isEntity)} }`];
    })
    .join(' ');
}

function namedType(type: GraphQLOutputType): GraphQLOutputType {
  const inner = getNullableType(type);
  return isListType(inner) ? namedType(inner.ofType) : inner;
}

/** The schema of what a selection gives of a type. */
export function selectedSchema(type: GraphQLOutputType, selection: string): Schema {
  if (selection === '') return outputSchema(type, undefined);
  const [operation] = parse(`{ ${selection} }`, { noLocation: true }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no selection');
  return outputSchema(type, operation.selectionSet);
}

function outputSchema(type: GraphQLOutputType, selected: SelectionSetNode | undefined): Schema {
  const inner = getNullableType(type);
  if (isListType(inner)) return listOf(outputSchema(inner.ofType, selected));
  if (!isObjectType(inner)) return SCALARS[String(inner)] ?? STRING;
  const fields = inner.getFields();
  const members = (selected?.selections ?? []).flatMap((node): [string, Schema][] => {
    const field = node.kind === Kind.FIELD ? fields[node.name.value] : undefined;
    if (node.kind !== Kind.FIELD || !field) return [];
    const schema = outputSchema(field.type, node.selectionSet);
    const nullable = isNonNullType(field.type) ? {} : { nullable: true };
    return [[node.alias?.value ?? node.name.value, { ...schema, ...nullable }]];
  });
  return objectOf(Object.fromEntries(members));
}
