import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import { buildSchema, type ClassType } from 'type-graphql';
import type { Catalog } from '../kernel/catalog.js';
import { edgeResolver, resolverFor } from '../kernel/resolvers.js';

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
  });
  for (const resource of catalog.all()) {
    const fields = (schema.getType(resource.name) as GraphQLObjectType).getFields();
    for (const edge of resource.edges.keys()) {
      const field = fields[edge];
      if (field) field.resolve = edgeResolver(resource, edge);
    }
  }
  return schema;
}
