import { GraphQLObjectType, isRequiredArgument, getNamedType, type GraphQLSchema } from 'graphql';
import { permissionOf } from '../../../src/kernel/graph/needs.js';

/** What shows that reading an entity is permitted. */

type Known = Readonly<Record<'plain' | 'service' | 'session', string>>;

/** Of these everybody sees a part in lists: somebody else's shows the permission. */
const somebodyElses = (ids: Known): Readonly<Record<string, string>> => ({
  identity: `identity(id: "${ids.plain}") { name }`,
  admin_readonly: `identity(id: "${ids.plain}") { name }`,
  service: `service(id: "${ids.service}") { name }`,
  controllers: 'controllers { totalCount }',
  ops: `apiSession(id: "${ids.session}") { identityId }`,
});

/** The document that reads others of an entity: a list that the permission to read it opens. */
export function readingOf(schema: GraphQLSchema, entity: string, ids: Known): string {
  const selection = somebodyElses(ids)[entity] ?? `${listOf(schema, entity)} { totalCount }`;
  return `{ ${selection} }`;
}

function listOf(schema: GraphQLSchema, entity: string): string {
  const list = Object.values(schema.getQueryType()?.getFields() ?? {}).find((field) => {
    const permission = permissionOf(field);
    const isOfEntity =
      permission?.need === 'entity' &&
      permission.entity === entity &&
      permission.action === 'read' &&
      !permission.scoped;
    const type = getNamedType(field.type);
    const isList = type instanceof GraphQLObjectType && 'totalCount' in type.getFields();
    return isOfEntity && isList && !field.args.some(isRequiredArgument);
  });
  if (!list) throw new Error(`no list shows who may read ${entity}: add a document for it`);
  return list.name;
}
