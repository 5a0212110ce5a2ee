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

interface Graph {
  readonly catalog: Catalog;
  readonly schema: Promise<GraphQLSchema>;
}

const graphs = new WeakMap<readonly ClassType[], Graph>();

/**
 * Gives the executable schema of the catalog and the operations written by hand. The library keeps
 * the declarations of all schemas of a process and looks through all of them for each one, so that
 * controllers in one process share theirs.
 */
export function buildGraph(
  catalog: Catalog,
  operations: readonly ClassType[],
): Promise<GraphQLSchema> {
  const existing = graphs.get(operations);
  if (existing?.catalog === catalog) return existing.schema;
  const schema = makeGraph(catalog, operations);
  graphs.set(operations, { catalog, schema });
  return schema;
}

async function makeGraph(
  catalog: Catalog,
  operations: readonly ClassType[],
): Promise<GraphQLSchema> {
  const derived = [...catalog.all()].map((resource) => resolverFor(resource, catalog));
  const [first, ...others] = [...derived, ...operations];
  if (!first) throw new Error('there is nothing to serve');
  const schema = await buildSchema({
    resolvers: [first, ...others],
    // The kernel checks inputs. Otherwise the library imports `class-validator`, which is not installed.
    validate: false,
    emitSchemaFile: false,
    pubSub: NO_PUB_SUB,
    // Checked when the schema is emitted, not at every start.
    skipCheck: true,
  });
  describe(
    schema.getQueryType(),
    'All that clients can read. Each field needs its own permission; a field that fails is null, and the others answer.',
  );
  describe(
    schema.getMutationType(),
    'All that clients can change. Each field is one transaction; a field that fails is null, and the fields after it run.',
  );
  describe(
    schema.getSubscriptionType(),
    'The streams that clients can follow. Each needs its own permission.',
  );
  makeNullable(schema.getQueryType());
  makeNullable(schema.getMutationType());
  // Set here because compiled documents accept no promise of a type, which type-graphql would give.
  const node = schema.getType('Node') as GraphQLInterfaceType;
  node.resolveType = ({ __typename }: AnyEntity) => __typename;
  for (const resource of catalog.all()) {
    const fields = (schema.getType(resource.name) as GraphQLObjectType).getFields();
    if (fields.nodeId)
      fields.nodeId.resolve = (row: { id: string }) => nodeIdOf(resource.name, row);
    for (const name of resource.attributes.keys()) {
      const shaping = shapingArguments(resource, name);
      const field = fields[name];
      if (field && shaping.length > 0) addArguments(field as ShapedField, name, shaping);
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

/** Set here because type-graphql gives arguments to methods only. */
function addArguments(field: ShapedField, name: string, shaping: readonly ListArgument[]): void {
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

/** Makes root fields nullable: one that fails is null, and the others of its document answer. */
function makeNullable(root: GraphQLObjectType | null | undefined): void {
  for (const field of Object.values(root?.getFields() ?? {})) {
    field.type = getNullableType(field.type);
  }
}

/** Each subscription has its own source, but type-graphql requires one of these. */
const NO_PUB_SUB: PubSub = {
  publish: () => undefined,
  subscribe: () => {
    throw new Error('there are no topics');
  },
};

/** Root types have no class that could carry a description. */
function describe(root: GraphQLObjectType | null | undefined, description: string): void {
  if (root) root.description = description;
}
