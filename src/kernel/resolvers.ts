import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
  type ClassType,
} from 'type-graphql';
import type { Catalog } from './catalog.js';
import { columnsFor } from './columns.js';
import type { RequestContext } from './context.js';
import { notFound, failure } from './errors.js';
import { emptyClass, enumOf, inputClass, resourceClass } from './graphql-types.js';
import { listPage, type ListArguments } from './listing.js';
import { listTypes } from './list-types.js';
import { Needs } from './needs.js';
import { actionOf, may, readable, reading } from './permissions.js';
import type { Relation, Resource, Verb } from './resource.js';
import { requested } from './selection.js';
import { TRUE } from './sql.js';
import type { Row } from './row.js';
import { change, create, remove } from './write.js';

/** The kinds of access that relations can be narrowed to. */
const ACCESS_TYPE = enumOf('AccessType', ['Dial', 'Bind'], 'What a service policy grants.');

/** Decorates a method with its parameters, in order. */
type Parameter = (target: object, method: string, index: number) => void;

type Method = (...args: never[]) => unknown;

function method(
  target: ClassType,
  name: string,
  body: Method,
  parameters: readonly Parameter[],
): void {
  const prototype = target.prototype as Record<string, unknown>;
  prototype[name] = body;
  parameters.forEach((decorate, i) => {
    decorate(prototype, name, i);
  });
}

const descriptorOf = (target: ClassType, name: string): PropertyDescriptor =>
  Object.getOwnPropertyDescriptor(target.prototype, name) ?? {};

const parameter = (decorator: unknown): Parameter => decorator as Parameter;
const argument = (name: string, type: () => unknown, nullable = false): Parameter =>
  parameter(Arg(name, type as () => typeof String, { nullable }));

/** The object type of a resource and everything the graph offers on it. */
export function resolverFor(resource: Resource, catalog: Catalog): ClassType {
  resourceClass(resource);
  addEdges(resource, catalog);
  const target = emptyClass(`${resource.name}Resolver`);
  Resolver(() => resource.shape as ClassType)(target);
  addReads(target, resource, catalog);
  for (const verb of resource.verbs) addWrite(target, resource, catalog, verb);
  for (const relation of resource.relations.values()) addRelation(target, relation, catalog);
  return target;
}

/** To-one edges are plain fields here; `edgeResolver` is attached when the schema is built. */
function addEdges(resource: Resource, catalog: Catalog): void {
  for (const edge of resource.edges.values()) {
    const target = catalog.get(edge.target);
    Field((() => target.shape) as () => ClassType, {
      nullable: true,
      description: `The ${target.label} that \`${edge.attribute}\` names.`,
    })(resource.shape.prototype as object, edge.name);
  }
}

function addReads(target: ClassType, resource: Resource, catalog: Catalog): void {
  const { connection, args } = listTypes(resource, catalog);
  method(
    target,
    resource.list,
    (list: ListArguments, ctx: RequestContext, info: GraphQLResolveInfo) =>
      listPage(ctx, resource, undefined, list, info),
    [parameter(Args(() => args)), parameter(Ctx()), parameter(Info())],
  );
  Query(() => connection, { description: `A page of ${resource.options.plural}.` })(
    target.prototype as object,
    resource.list,
    descriptorOf(target, resource.list),
  );
  method(
    target,
    resource.single,
    async (id: string, ctx: RequestContext, info: GraphQLResolveInfo) => {
      const row = await readEntity(ctx, resource, id, info);
      if (!row) throw notFound(resource.label, id);
      return row;
    },
    [argument('id', () => ID), parameter(Ctx()), parameter(Info())],
  );
  Query(() => resource.shape as ClassType, {
    nullable: true,
    description: `One ${resource.label} by its id; NOT_FOUND when there is none.`,
  })(target.prototype as object, resource.single, descriptorOf(target, resource.single));
}

/** One entity with what the document asks of it, if the caller may see it. */
export async function readEntity(
  ctx: RequestContext,
  resource: Resource,
  id: string,
  info: GraphQLResolveInfo,
): Promise<Row | undefined> {
  const visible = readable(ctx, resource);
  if (!visible) throw failure('UNAUTHORIZED');
  const columns = columnsFor(resource, requested(info), ctx.catalog, info);
  return ctx.reader.entity({ resource, columns, id, visible });
}

/** The entity after a write. Whoever may write it may see what was written. */
async function written(
  ctx: RequestContext,
  resource: Resource,
  id: string,
  info: GraphQLResolveInfo,
): Promise<Row | undefined> {
  const asked = requested(info);
  if ([...asked.fields.keys()].every((f) => f === 'id')) return { id };
  const columns = columnsFor(resource, asked, ctx.catalog, info);
  return ctx.reader.entity({ resource, columns, id, visible: () => TRUE });
}

const REVISION = argument('ifRevision', () => Int, true);

function addWrite(target: ClassType, resource: Resource, catalog: Catalog, verb: Verb): void {
  const name = `${verb}${resource.name}`;
  const context = [parameter(Ctx()), parameter(Info())];
  const id = argument('id', () => ID);
  if (verb === 'delete') {
    method(
      target,
      name,
      async (entity: string, revision: number | null, ctx: RequestContext) => {
        await remove(ctx, resource, entity, revision);
        return entity;
      },
      [id, REVISION, ...context],
    );
    Mutation(() => ID, { description: `Deletes a ${resource.label} and gives its id.` })(
      target.prototype as object,
      name,
      descriptorOf(target, name),
    );
    return;
  }
  const input = inputClass(resource, verb);
  const inputArgument = argument('input', () => input);
  if (verb === 'create') {
    method(
      target,
      name,
      async (values: Row, ctx: RequestContext, info: GraphQLResolveInfo) =>
        written(ctx, resource, await create(ctx, resource, values), info),
      [inputArgument, ...context],
    );
  } else {
    method(
      target,
      name,
      async (
        entity: string,
        values: Row,
        revision: number | null,
        ctx: RequestContext,
        info: GraphQLResolveInfo,
      ) => {
        await change(ctx, resource, verb, entity, values, revision);
        return written(ctx, resource, entity, info);
      },
      [id, inputArgument, REVISION, ...context],
    );
  }
  Mutation(() => resource.shape as ClassType, { description: describeWrite(resource, verb) })(
    target.prototype as object,
    name,
    descriptorOf(target, name),
  );
}

const describeWrite = (resource: Resource, verb: 'create' | 'replace' | 'update'): string =>
  ({
    create: `Creates a ${resource.label}.`,
    replace: `Sets all attributes of a ${resource.label} (REST PUT).`,
    update: `Changes some attributes of a ${resource.label} (REST PATCH). With \`ifRevision\` it refuses when somebody else was faster.`,
  })[verb];

function addRelation(target: ClassType, relation: Relation, catalog: Catalog): void {
  const listed = catalog.get(relation.target);
  const { connection, args } = listTypes(listed, catalog);
  const read = (
    parent: Row,
    list: ListArguments,
    type: string | undefined,
    ctx: RequestContext,
    info: GraphQLResolveInfo,
  ): Promise<unknown> =>
    listPage(ctx, listed, relation.scope(parent, ctx, type ?? undefined), list, info);
  const root = parameter(Root());
  const context = [parameter(Ctx()), parameter(Info())];
  const list = parameter(Args(() => args));
  if (relation.byAccessType) {
    method(target, relation.name, read, [
      root,
      list,
      argument('type', () => ACCESS_TYPE, true),
      ...context,
    ]);
  } else {
    method(
      target,
      relation.name,
      (parent: Row, page: ListArguments, ctx: RequestContext, info: GraphQLResolveInfo) =>
        read(parent, page, undefined, ctx, info),
      [root, list, ...context],
    );
  }
  FieldResolver(() => connection, { description: relation.description })(
    target.prototype as object,
    relation.name,
    descriptorOf(target, relation.name),
  );
}

/** A to-one edge: beside the row when only its name was asked, else one batched read by id. */
export function edgeResolver(resource: Resource, name: string) {
  return (parent: Row, _: unknown, ctx: RequestContext, info: GraphQLResolveInfo): unknown => {
    if (parent[name] !== undefined) return parent[name];
    const edge = resource.edges.get(name);
    const id = edge ? parent[edge.attribute] : undefined;
    if (!edge || typeof id !== 'string') return null;
    return readEntity(ctx, ctx.catalog.get(edge.target), id, info);
  };
}
