import { nounOf, nounWithArticle } from '../../base/names.js';
import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
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
import { inputNameOf, type Attribute, type InputVerb } from '../declare/attribute.js';
import type { Catalog } from '../declare/catalog.js';
import { columnsFor } from '../read/columns.js';
import type { RequestContext } from '../request/context.js';
import { ApiError, failure, notFound } from '../../base/errors.js';
import { emptyClass, inputClass, outputType, resourceClass } from './graphql-types.js';
import { listPage, type ListArguments } from '../read/listing.js';
import { listTypes } from './list-types.js';
import { Needs, permissionOf } from './needs.js';
import {
  may,
  writing,
  permits,
  permitsAll,
  readable,
  reading,
  readingOne,
  type Permission,
} from '../declare/permissions.js';
import { attributeOf, type SelectedEntity, type SelectedOf } from '../declare/rows.js';
import { ACCESS_TYPE, type Relation, type Resource } from '../declare/resource.js';
import type { Verb } from '../declare/verbs.js';
import { requested, type Requested } from '../read/selection.js';
import { TRUE } from '../../base/sql.js';
import type { JsonObject } from '../../base/row.js';
import { change, create, remove } from '../write/write.js';
import { changeEntries } from '../write/change-entries.js';
import {
  attributeSetsOf,
  ENTRY_VERBS,
  entriesMutation,
  type EntryVerb,
} from '../declare/attribute-sets.js';

/** Decorates one parameter of a method. */
type Parameter = (target: object, method: string, index: number) => void;

/** One field with arguments, as it is put on a resolver class. */
export interface Operation {
  readonly name: string;
  readonly permission: Permission;
  /** `Query`, `Mutation` or `FieldResolver` with the type and the description. */
  readonly declare: MethodDecorator;
  readonly body: (...args: never[]) => unknown;
  /** In the order in which `body` takes them. */
  readonly parameters: readonly Parameter[];
}

export function addOperation(target: ClassType, operation: Operation): void {
  const { name, permission, declare, body, parameters } = operation;
  const prototype = target.prototype as Record<string, unknown>;
  prototype[name] = body;
  parameters.forEach((decorate, i) => {
    decorate(prototype, name, i);
  });
  Needs(permission)(prototype, name);
  declare(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) ?? {});
}

const parameter = (decorator: unknown): Parameter => decorator as Parameter;
const argument = (
  name: string,
  type: () => unknown,
  description: string,
  nullable = false,
): Parameter => parameter(Arg(name, type as () => typeof String, { nullable, description }));

const CONTEXT = [parameter(Ctx()), parameter(Info())];
const ENTITY_ID = argument('id', () => ID, 'Id of the entity.');
const REVISION = argument(
  'ifRevision',
  () => Int,
  'Refuse with REVISION_CONFLICT unless this is its `revision`.',
  true,
);

/** The object type of a resource and everything the graph offers on it. */
export function resolverFor(resource: Resource, catalog: Catalog): ClassType {
  resourceClass(resource);
  addEdges(resource, catalog);
  const target = emptyClass(`${resource.name}Resolver`);
  Resolver(() => resource.shape as ClassType)(target);
  addReads(target, resource, catalog);
  for (const verb of resource.verbs) addWrite(target, resource, verb);
  for (const set of attributeSetsOf(resource)) {
    for (const verb of ENTRY_VERBS) addEntryChange(target, resource, set, verb);
  }
  for (const relation of resource.relations.values())
    addRelation(target, resource, relation, catalog);
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
    Needs(reading(target))(resource.shape.prototype as object, edge.name);
  }
}

function addReads(target: ClassType, resource: Resource, catalog: Catalog): void {
  const { connection, args } = listTypes(resource, catalog);
  const { listed } = resource.options;
  addOperation(target, {
    name: resource.list,
    permission: reading(resource),
    declare: Query(() => connection, { description: `A page of ${resource.options.plural}.` }),
    body: (list: ListArguments, ctx: RequestContext, info: GraphQLResolveInfo) =>
      listPage(ctx, resource, listed && { predicate: listed }, list, info),
    parameters: [parameter(Args(() => args)), ...CONTEXT],
  });
  addOperation(target, {
    name: resource.single,
    // A caller may have the permission for a relation and not for the entity itself.
    permission: readingOne(resource),
    declare: Query(() => resource.shape as ClassType, {
      nullable: true,
      description: `One ${resource.label} by its id; NOT_FOUND when there is none.`,
    }),
    body: async (id: string, ctx: RequestContext, info: GraphQLResolveInfo) => {
      const row = await readEntity(ctx, resource, id, info);
      if (!row) throw notFound(resource.label, id);
      return row;
    },
    parameters: [ENTITY_ID, ...CONTEXT],
  });
}

/** Reads one entity with the fields that the document selects, if the caller may see it. */
export function readEntity<N extends string>(
  ctx: RequestContext,
  resource: Resource<N>,
  id: string,
  info: GraphQLResolveInfo,
): Promise<SelectedOf<N> | undefined> {
  const selection = requested(info);
  const visible = selectsOnlyGrantedRelations(ctx, resource, selection, info)
    ? () => TRUE
    : readable(ctx, resource);
  if (!visible) throw failure('UNAUTHORIZED');
  const columns = columnsFor(resource, selection, ctx.catalog, info);
  return ctx.reader.entity({ resource, columns, id, visible });
}

const NO_ATTRIBUTES = ['id', 'nodeId', '__typename'];

/** Whether all selected fields are relations whose own permission the caller has. */
function selectsOnlyGrantedRelations(
  ctx: RequestContext,
  resource: Resource,
  selection: Requested,
  info: GraphQLResolveInfo,
): boolean {
  const names = [...selection.fields.keys()].filter((name) => !NO_ATTRIBUTES.includes(name));
  const fields = (info.schema.getType(resource.name) as GraphQLObjectType).getFields();
  return (
    names.length > 0 &&
    names.every((name) => {
      const permission = fields[name] && permissionOf(fields[name]);
      return permission && !resource.edges.has(name) && permitsAll(ctx.caller, permission);
    })
  );
}

/** Reads the entity after a write. A caller with the permission to write it may see it. */
async function readWritten(
  ctx: RequestContext,
  resource: Resource,
  id: string,
  info: GraphQLResolveInfo,
): Promise<SelectedEntity | undefined> {
  const selection = requested(info);
  if ([...selection.fields.keys()].every((f) => f === 'id' || f === 'nodeId')) return { id };
  const columns = columnsFor(resource, selection, ctx.catalog, info);
  try {
    return await ctx.reader.entity({ resource, columns, id, visible: () => TRUE });
  } catch (error) {
    if (!(error instanceof ApiError) || !OUTAGES.has(error.code)) throw error;
    throw failure(error.code, CARRIED_OUT);
  }
}

/** Codes that leave open whether a write was stored, unless the error says more. */
const OUTAGES: ReadonlySet<string> = new Set(['UNAVAILABLE', 'TIMEOUT']);
const CARRIED_OUT = 'it was carried out, but what it has written can not be read now';

function addWrite(target: ClassType, resource: Resource, verb: Verb): void {
  const name = `${verb}${resource.name}`;
  const permission = writing(resource, verb);
  if (verb === 'delete') {
    addOperation(target, {
      name,
      permission,
      declare: Mutation(() => ID, {
        description: `Deletes ${nounWithArticle(resource.name)} and gives its id.`,
      }),
      body: async (entity: string, revision: number | null, ctx: RequestContext) => {
        await remove(ctx, resource, entity, revision);
        return entity;
      },
      parameters: [ENTITY_ID, REVISION, ...CONTEXT],
    });
    return;
  }
  const input = inputClass(resource, verb);
  const values = argument('input', () => input, 'The attributes.');
  const declare = Mutation(() => resource.shape as ClassType, {
    description: describeWrite(resource, verb),
  });
  if (verb === 'create') {
    addOperation(target, {
      name,
      permission,
      declare,
      body: async (sent: JsonObject, ctx: RequestContext, info: GraphQLResolveInfo) =>
        readWritten(ctx, resource, await create(ctx, resource, sent), info),
      parameters: [values, ...CONTEXT],
    });
    return;
  }
  addOperation(target, {
    name,
    permission,
    declare,
    body: async (
      entity: string,
      sent: JsonObject,
      revision: number | null,
      ctx: RequestContext,
      info: GraphQLResolveInfo,
    ) => {
      await change(ctx, resource, verb, entity, sent, revision);
      return readWritten(ctx, resource, entity, info);
    },
    parameters: [ENTITY_ID, values, REVISION, ...CONTEXT],
  });
}

const describeWrite = (resource: Resource, verb: InputVerb): string =>
  ({
    create: `Creates ${nounWithArticle(resource.name)}.`,
    replace: `Sets all attributes of ${nounWithArticle(resource.name)} (REST PUT).`,
    update: `Changes some attributes of ${nounWithArticle(resource.name)} (REST PATCH). With \`ifRevision\` it refuses when the entity was changed in between.`,
  })[verb];

function addEntryChange(
  target: ClassType,
  resource: Resource,
  set: Attribute,
  verb: EntryVerb,
): void {
  const noun = nounWithArticle(resource.name);
  const words = nounOf(inputNameOf(set));
  addOperation(target, {
    name: entriesMutation(verb, resource, set),
    permission: writing(resource, 'update'),
    declare: Mutation(() => resource.shape as ClassType, {
      description: {
        add: `Adds ${words} to ${noun} and keeps the others, also those that other callers add at the same time. Without a new one it changes nothing.`,
        remove: `Removes ${words} from ${noun} and keeps the others. If it has none of them, it changes nothing.`,
      }[verb],
    }),
    body: async (
      id: string,
      entries: readonly string[],
      ifRevision: number | null,
      ctx: RequestContext,
      info: GraphQLResolveInfo,
    ) => {
      await changeEntries(ctx, resource, { verb, set, id, entries, ifRevision });
      return readWritten(ctx, resource, id, info);
    },
    parameters: [
      ENTITY_ID,
      argument(inputNameOf(set), () => [String], `The ${words}.`),
      REVISION,
      ...CONTEXT,
    ],
  });
}

/**
 * Refuses a list below an entity if the caller would see only its own rows: it would take them and
 * their total for those of the entity. Lists below the caller's own entity are allowed.
 */
function refuseNarrowed(
  ctx: RequestContext,
  resource: Resource,
  parent: SelectedEntity,
  { target, isOfCaller = false }: Relation,
): void {
  const { permission, open = false } = ctx.catalog.get(target).options;
  if (open || isOfCaller || permits(ctx.caller, may(permission, 'read'))) return;
  if (resource.options.isCaller?.(ctx, parent) === true) return;
  // Without the permission for the entity, the caller expects only its own rows.
  if (permits(ctx.caller, may(resource.options.permission, 'read'))) throw failure('UNAUTHORIZED');
}

function addRelation(
  target: ClassType,
  resource: Resource,
  relation: Relation,
  catalog: Catalog,
): void {
  const listed = catalog.get(relation.target);
  const { connection, args } = listTypes(listed, catalog);
  const read = (
    parent: SelectedEntity,
    list: ListArguments,
    type: string | undefined,
    ctx: RequestContext,
    info: GraphQLResolveInfo,
  ): Promise<unknown> => {
    refuseNarrowed(ctx, resource, parent, relation);
    return listPage(ctx, listed, relation.scope(parent, ctx, type ?? undefined), list, info);
  };
  const list = [parameter(Root()), parameter(Args(() => args))];
  addOperation(target, {
    name: relation.name,
    permission: reading(listed),
    declare: FieldResolver(() => connection, { description: relation.description }),
    ...(relation.byAccessType
      ? { body: read, parameters: [...list, ACCESS_TYPE_ARGUMENT, ...CONTEXT] }
      : {
          body: (
            parent: SelectedEntity,
            page: ListArguments,
            ctx: RequestContext,
            info: GraphQLResolveInfo,
          ) => read(parent, page, undefined, ctx, info),
          parameters: [...list, ...CONTEXT],
        }),
  });
}

const ACCESS_TYPE_ARGUMENT = argument(
  'type',
  outputType(ACCESS_TYPE),
  'Narrows to one kind of access.',
  true,
);

/**
 * Resolves a to-one edge: part of the row when only its id and name are selected, else a batched
 * read by id.
 */
export function edgeResolver(resource: Resource, name: string) {
  return (
    parent: SelectedEntity,
    _: unknown,
    ctx: RequestContext,
    info: GraphQLResolveInfo,
  ): unknown => {
    const embedded = attributeOf(parent, name);
    if (embedded !== undefined) return embedded;
    const edge = resource.edges.get(name);
    const id = edge && attributeOf(parent, edge.attribute);
    if (!edge || typeof id !== 'string') return null;
    return readEntity(ctx, ctx.catalog.get(edge.target), id, info);
  };
}
