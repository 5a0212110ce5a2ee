import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { may, type Permission } from '../../src/kernel/declare/permissions.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import { permissionOf } from '../../src/kernel/graph/needs.js';
import {
  MANAGEMENT,
  restOperationsOf,
  type RestOperation,
} from '../../src/kernel/graph/rest-operation.js';
import type { Answer, RestRow } from '../engine/rest-row.js';
import { answerOf } from './answers.js';
import { readArguments, type Arguments } from './arguments.js';

type Field = GraphQLField<unknown, unknown>;

/** The rows of all REST operations that fields of the graph declare. */
export function declaredRows(catalog: Catalog, schema: GraphQLSchema): RestRow[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const;
  return [
    ...roots.flatMap(([kind, root]) =>
      operationsOf(root).map(([field, operation]) => rootRow(catalog, kind, field, operation)),
    ),
    ...[...catalog.all()].flatMap((resource) => {
      const type = schema.getType(resource.name) as GraphQLObjectType | undefined;
      return operationsOf(type).map(([field, operation]) =>
        memberRow(catalog, schema, resource, field, operation),
      );
    }),
  ];
}

const operationsOf = (type: GraphQLObjectType | null | undefined): [Field, RestOperation][] =>
  Object.values(type?.getFields() ?? {}).flatMap((field) =>
    restOperationsOf(field).map((operation): [Field, RestOperation] => [field, operation]),
  );

function rootRow(
  catalog: Catalog,
  kind: 'query' | 'mutation',
  field: Field,
  operation: RestOperation,
): RestRow {
  const read = readArguments(field.args, operation);
  const { selection, answer } = answerOf(catalog, kind, field, operation);
  return {
    ...rowOf(field, operation, permissionOf(field), read, answer),
    variables: read.variables,
    document: `${kind}${read.head && ` (${read.head})`} { result: ${field.name}${read.fieldArguments} ${selection} }`,
  };
}

/** Makes the row of a member of one entity, whose id is in the path. */
function memberRow(
  catalog: Catalog,
  schema: GraphQLSchema,
  resource: Resource,
  field: Field,
  operation: RestOperation,
): RestRow {
  const read = readArguments(field.args, operation);
  const { selection, answer } = answerOf(catalog, 'query', field, operation);
  const parent = schema.getQueryType()?.getFields()[resource.single];
  const permission = permissionOf(field) ?? (parent && permissionOf(parent));
  return {
    ...rowOf(field, operation, withoutScope(permission), read, memberAnswer(answer)),
    variables: (request) => ({ id: request.path.id, ...read.variables(request) }),
    document: `query ($id: ID!${read.head && `, ${read.head}`}) { result: ${resource.single}(id: $id) { value: ${field.name}${read.fieldArguments} ${selection} } }`,
  };
}

/**
 * The full permission: the path of one entity does not serve callers that see only their own rows.
 */
const withoutScope = (permission: Permission | undefined): Permission | undefined =>
  permission?.need === 'entity' ? may(permission.entity, permission.action) : permission;

function memberAnswer(answer: Answer): Answer {
  if (answer.kind !== 'data') throw new Error('the member of an entity is shown as data');
  const { view } = answer;
  return { ...answer, view: ({ value }: { readonly value: never }) => view(value) };
}

function rowOf(
  field: Field,
  operation: RestOperation,
  ofField: Permission | undefined,
  { parameters, body, fieldNames }: Arguments,
  answer: Answer,
): Omit<RestRow, 'document' | 'variables'> {
  const { method, path, permission = ofField } = operation;
  if (!permission) throw new Error(`${field.name} has no permission`);
  return {
    ...namesOf(field, operation),
    method,
    path,
    permission,
    ...flagsOf(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { body } : {}),
    fieldNames,
    status: operation.status ?? (answer.kind === 'created' ? 201 : 200),
    errors: refusals(operation, permission, parameters.length > 0 || body !== undefined),
    answer,
  };
}

const namesOf = (
  { name, description }: Field,
  { on = MANAGEMENT, path, operationId = name, tag, summary }: RestOperation,
): Pick<RestRow, 'on' | 'operationId' | 'tag' | 'summary'> => ({
  on,
  operationId,
  tag: tag ?? path.split('/')[1] ?? '',
  summary: summary ?? description ?? '',
});

const FLAGS = ['forbids', 'anyText', 'isPublic'] as const;

const flagsOf = (operation: RestOperation): Pick<RestRow, (typeof FLAGS)[number]> =>
  Object.fromEntries(FLAGS.filter((flag) => operation[flag]).map((flag) => [flag, true]));

/** The error statuses: those that follow from the declaration, and those that it names. */
function refusals(
  { path, forbids, errors = [] }: RestOperation,
  permission: Permission,
  hasInput: boolean,
): number[] {
  const all = new Set(errors);
  if (hasInput) all.add(400);
  if (permission.need !== 'nothing') all.add(401);
  if (forbids) all.add(403);
  if (path.includes('{')) all.add(404);
  return [...all].sort((a, b) => a - b);
}
