import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  type GraphQLField,
  getNullableType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { buildSchema, type ClassType, type PubSub } from 'type-graphql';
import type { Catalog } from '../kernel/declare/catalog.js';
import { variantOf } from '../kernel/read/columns.js';
import { enforcePermissions } from '../kernel/graph/needs.js';
import { nodeIdOf } from '../kernel/graph/node.js';
import { edgeResolver, resolverFor } from '../kernel/graph/resolvers.js';
import { shapingArguments, type ListArgument } from '../kernel/declare/resource.js';
import { attributeOf, type SelectedEntity } from '../kernel/declare/rows.js';
import type { JsonObject } from '../base/row.js';
import type { AnyEntity } from './operations/network/node-resolver.js';

/** The executable schema: what the catalog gives, and the operations written by hand. */
export async function buildGraph(
  catalog: Catalog,
  operations: readonly ClassType[],
): Promise<GraphQLSchema> {
  const derived = [...catalog.all()].map((resource) => resolverFor(resource, catalog));
  const [first, ...rest] = [...derived, ...operations];
  if (!first) throw new Error('there is nothing to serve');
  const schema = await buildSchema({
    resolvers: [first, ...rest],
    validate: false,
    emitSchemaFile: false,
    pubSub: NO_PUB_SUB,
    // Looked at when it is emitted, not at every start.
    skipCheck: true,
  });
  describe(
    schema.getQueryType(),
    'What can be read. Each field asks its own permission; one that fails is null, and the others answer.',
  );
  describe(
    schema.getMutationType(),
    'What can be changed. Each field is one transaction; one that fails is null, and those after it run.',
  );
  describe(schema.getSubscriptionType(), 'What can be followed. Each asks its own permission.');
  failAlone(schema.getQueryType());
  failAlone(schema.getMutationType());
  // Here because compiled documents take no promise of a type, which is what type-graphql makes of it.
  const node = schema.getType('Node') as GraphQLInterfaceType;
  node.resolveType = ({ __typename }: AnyEntity) => __typename;
  for (const resource of catalog.all()) {
    const fields = (schema.getType(resource.name) as GraphQLObjectType).getFields();
    if (fields.nodeId)
      fields.nodeId.resolve = (row: { id: string }) => nodeIdOf(resource.name, row);
    for (const name of resource.attributes.keys()) {
      const shaping = shapingArguments(resource, name);
      const field = fields[name];
      if (field && shaping.length > 0) takeArguments(field as ShapedField, name, shaping);
    }
    for (const edge of resource.edges.keys()) {
      const field = fields[edge];
      if (field) field.resolve = edgeResolver(resource, edge);
    }
  }
  enforcePermissions(schema);
  return schema;
}

type ShapedField = GraphQLField<SelectedEntity, unknown>;

/** Here because type-graphql gives arguments to methods alone. */
function takeArguments(field: ShapedField, name: string, shaping: readonly ListArgument[]): void {
  field.args = shaping.map((argument) => ({
    name: argument.name,
    description: argument.description,
    type: argument.isList ? new GraphQLList(new GraphQLNonNull(GraphQLString)) : GraphQLString,
    defaultValue: undefined,
    deprecationReason: undefined,
    extensions: {},
    astNode: undefined,
  }));
  field.resolve = (entity, args: JsonObject) => attributeOf(entity, variantOf(name, args).key);
}

/** A root field that fails is null; the others of its document answer all the same. */
function failAlone(root: GraphQLObjectType | null | undefined): void {
  for (const field of Object.values(root?.getFields() ?? {})) {
    field.type = getNullableType(field.type);
  }
}

/** Each subscription has a source of its own; type-graphql wants to see this nevertheless. */
const NO_PUB_SUB: PubSub = {
  publish: () => undefined,
  subscribe: () => {
    throw new Error('there are no topics');
  },
};

/** The root types have no class that could carry a description. */
function describe(root: GraphQLObjectType | null | undefined, description: string): void {
  if (root) root.description = description;
}
