import { attributesOf, isStored, oneOf, type Attribute, type Shape } from './attribute.js';
import type { RequestContext } from '../request/context.js';
import { lowerFirst, snakeCase } from '../../base/names.js';
import type { JsonObject } from '../../base/row.js';
import type { LargeValue, Sql } from '../../base/sql.js';
import type { Interface, RestOptions } from './rest.js';
import type { Action, Verb } from './verbs.js';
import {
  attributeOf,
  type EntityTypes,
  type ResourceName,
  type RowOf,
  type SelectedEntity,
  type WrittenOf,
} from './rows.js';
import type { Index, NamelessColumn } from './table.js';

/** Whether an entity needs all attributes of a role list, or any. */
export const SEMANTIC = oneOf(
  'Semantic',
  {
    AllOf: 'An entity needs all attributes of the list.',
    AnyOf: 'An entity needs any attribute of the list.',
  },
  'Whether all listed attributes are needed, or any of them.',
);

/** A kind of access, by which relations and answers about access can be narrowed. */
export const ACCESS_TYPE = oneOf(
  'AccessType',
  { Dial: 'To open connections to a service.', Bind: 'To host a service.' },
  'A kind of access: dialing a service, or hosting it (`Bind`).',
);

/**
 * The argument of a hook of the write pipeline. A hook may change `values` before they are written.
 * The transaction `tx` is declared with the store (`request/store-port.ts`).
 */
export interface Write<N extends string = string> {
  readonly verb: Verb;
  readonly id: string;
  readonly ctx: RequestContext;
  /** The entity before; empty on create. */
  readonly current: Partial<RowOf<N>>;
  /** Attribute values to store. On update only those that were sent. */
  readonly values: WrittenOf<N>;
  /** The input as sent, for members that are not attributes of the row. */
  readonly input: JsonObject;
}

/** Steps that a resource adds to the write pipeline of `write/write.ts`. */
export interface Hooks<N extends string = string> {
  /** Rules beyond shape: normalise and check `values`. */
  validate?(write: Write<N>): void | Promise<void>;
  /**
   * Called when the row to change or delete does not exist: may refuse with another error than 404.
   */
  absent?(tx: Write<N>['tx'], id: string): Promise<void>;
  /** In the transaction, before the row is written. */
  before?(write: Write<N>): void | Promise<void>;
  /** In the transaction, after the row was written. */
  after?(write: Write<N>): void | Promise<void>;
  /**
   * In the transaction, after rows were deleted, also those that a deletion of other entities deletes.
   * `before` and `after` see a deletion of the row itself alone.
   */
  removed?(
    { ctx, tx }: Pick<Write<N>, 'ctx' | 'tx'>,
    rows: readonly RowOf<N>[],
  ): void | Promise<void>;
}

/**
 * The decisions that depend on entities of a resource; readers of the change log react to their
 * changes.
 */
export interface Decisions {
  /**
   * Attributes that decide which identity reaches which service; access rules check every change of
   * them.
   */
  readonly reach?: readonly string[];
  /** Attributes of a rule about access. */
  readonly rule?: readonly string[];
  /** Its entities decide whether posture checks pass. */
  readonly posture?: true;
  /**
   * The callers whose API sessions or permissions it affects: the session with its id, the sessions
   * of the identity with its id, the access token with its id, which counts until then, or all.
   */
  readonly callers?: 'apiSessionId' | 'identityId' | 'tokenId' | 'all';
}

/** The rows of another resource that belong to a parent row. */
export interface RelationScope {
  readonly predicate: (alias: string) => Sql;
  /** The exact number of rows when it is known without SQL. */
  readonly total?: () => number;
}

export interface Relation {
  readonly name: string;
  readonly target: ResourceName;
  readonly description: string;
  /** Attributes of the parent that `scope` reads, beside `id`. */
  readonly needs?: readonly string[];
  /** Narrow by kind of access (`type: Dial | Bind`). */
  readonly byAccessType?: boolean;
  readonly scope: (
    parent: SelectedEntity,
    ctx: RequestContext,
    type: string | undefined,
  ) => RelationScope;
  /** The scope as correlated SQL, for filters over linked sets. */
  readonly link?: (outer: string, inner: string) => Sql;
  /** How many rows belong to each parent by its id, as a JSON object; parents without any may be left out. */
  readonly sizes?: (ctx: RequestContext) => LargeValue;
  /** Last segment of the REST path; `false`: on the graph alone. */
  readonly path?: string | false;
  /** Named in `filterableFields`. */
  readonly filterable?: boolean;
  /**
   * Its rows are those of the caller, such as its own sessions of a service; not all rows of the
   * parent.
   */
  readonly isOfCaller?: boolean;
}

/** A to-one edge of the graph, made from a reference attribute. */
export interface Edge {
  readonly name: string;
  readonly attribute: string;
  readonly target: string;
  readonly nullable: boolean;
  /** Shown in REST bodies as an entity reference. */
  readonly onRest: boolean;
}

export interface ListArgument {
  readonly name: string;
  readonly description: string;
  readonly isList: boolean;
  /** The resource of the entity that it names; an unknown id is 404. */
  readonly names?: string;
  /** Narrows the list. */
  readonly predicate?: (args: JsonObject, alias: string) => Sql;
  /**
   * Computed attributes that depend on it. On the graph it is an argument of these fields, so that
   * caches of clients see one value for each field and its arguments.
   */
  readonly shapes?: readonly string[];
}

/** The arguments that narrow lists. */
export const narrowingArguments = ({ options }: Resource): readonly ListArgument[] =>
  (options.listArguments ?? []).filter(({ shapes }) => shapes === undefined);

/** The arguments of a computed attribute. */
export const shapingArguments = ({ options }: Resource, attribute: string): ListArgument[] =>
  (options.listArguments ?? []).filter(({ shapes }) => shapes?.includes(attribute));

/** Parts of its table beside the columns of its attributes and the unique indexes. */
export interface ResourceStorage {
  /** Columns that no attribute shows. */
  readonly columns?: Readonly<Record<string, NamelessColumn>>;
  readonly indexes?: readonly Index[];
  /** The primary key when it is not `id`. */
  readonly key?: readonly string[];
  /** An `UNLOGGED` table, which one controller writes beside the change log. */
  readonly isUnlogged?: boolean;
}

export interface ResourceOptions {
  readonly description: string;
  readonly plural: string;
  /** Collection in REST paths and entity references; `urlName`. */
  readonly path: string;
  /** Entity of the permission list; `admin`: administrators alone. */
  readonly permission: string;
  /**
   * The action of all its writes, if its entities are a part of those that the permission is about. Default: that of
   * each verb.
   */
  readonly writeAction?: Action;
  /** Its name in error causes (`no <label> found with the given ids`). */
  readonly label?: string;
  readonly table?: string;
  readonly model?: string;
  readonly storage?: ResourceStorage;
  /** Fixed values that tell this resource from others in the same table. */
  readonly discriminator?: Readonly<Record<string, boolean>>;
  readonly verbs?: readonly Verb[];
  readonly relations?: readonly Relation[];
  readonly hooks?: Hooks;
  /** Readable without a session. */
  readonly open?: boolean;
  /** The REST interfaces that serve it under `path`; default: management alone. */
  readonly interfaces?: readonly Interface[];
  /** Rows that a caller without the read permission may see; absent: none. */
  readonly visible?: (ctx: RequestContext, alias: string) => Sql;
  /** Whether a row is the caller itself, so that its relations belong to the caller. */
  readonly isCaller?: (ctx: RequestContext, entity: SelectedEntity) => boolean;
  /** Narrows its list, but not the relations that lead to it. */
  readonly listed?: (alias: string) => Sql;
  /** Narrows the rows even for callers with the read permission. */
  readonly within?: (ctx: RequestContext, alias: string) => Sql;
  /** Its rows are records, not a part of the model: the entities that they name may be deleted. */
  readonly isRecord?: boolean;
  /** Unfiltered totals come from the model index, not from SQL. */
  readonly counted?: boolean;
  /** Links beside `self` in REST bodies: name -> path under the entity. */
  readonly links?: readonly string[];
  /** Ids that sort by creation time as text. */
  readonly sortableIds?: boolean;
  /** Arguments of its lists beside the common ones: texts or lists of texts. */
  readonly listArguments?: readonly ListArgument[];
  /**
   * Clients create its entities all the time, so the store inserts them by a statement: by the model, which
   * takes 0.27 ms of processor time more for a row of 12 columns, 600 identities are created a second
   * instead of 800 to 1,050 (`npm run bench`).
   */
  readonly createdOften?: boolean;
  /** Its changes are not logged, since sessions change very often. */
  readonly unlogged?: boolean;
  /** The actions of its permission that can be granted one by one. Default: every action. */
  readonly grants?: readonly Action[];
  readonly decides?: Decisions;
  /** Lists of changes, which clients simulate and apply as a whole, may contain its entities. */
  readonly isDrafted?: boolean;
  readonly keptWith?: KeptWith;
  readonly rest?: RestOptions;
  /**
   * Export files have a section for it, in the order of the catalog, if it can be created and
   * replaced; false: no section.
   */
  readonly exported?: ExportOptions | false;
  /**
   * Sets of attributes that are unique together, beside the name: the unique indexes of its table.
   */
  readonly unique?: readonly (readonly string[])[];
}

/**
 * The entities that the controller makes and deletes with an entity of another resource, which has
 * the same id.
 */
export interface KeptWith {
  readonly resource: ResourceName;
  /** The values by which an entity of the resource is one of them. */
  readonly kept: JsonObject;
  /** The values by which the other entity has one. */
  readonly madeFor: JsonObject;
  /** Attributes that it has from the other entity. */
  readonly attributes: readonly string[];
}

/** Whether the controller keeps the entity with this state with another one. */
export const isKept = ({ keptWith }: ResourceOptions, state: JsonObject): boolean =>
  keptWith !== undefined && hasValues(state, keptWith.kept);

/** Whether an entity with this state has one that the controller keeps with it. */
export const hasKept = ({ madeFor }: KeptWith, other: JsonObject): boolean =>
  hasValues(other, madeFor);

const hasValues = (state: JsonObject, values: JsonObject): boolean =>
  Object.entries(values).every(([name, value]) => state[name] === value);

/** Facts about a resource that export files need, beside its attributes. */
export interface ExportOptions {
  /** References inside nested values; reference attributes need no entry. */
  readonly nested?: readonly NestedReference[];
  /** Attributes that can not change; a file with another value is refused. */
  readonly fixed?: readonly string[];
  /** Attributes whose stored values are unique, beside the name. */
  readonly unique?: readonly string[];
}

export interface NestedReference {
  /** `primary.extJwt.allowedSigners` */
  readonly path: string;
  /** `keys`: the keys of an object name the entities. */
  readonly form: 'one' | 'list' | 'keys';
  readonly target: string;
}

export interface Resource<N extends string = string> extends Required<
  Pick<ResourceOptions, 'label' | 'table' | 'model'>
> {
  readonly name: N;
  /** `identity`: the singular field of the graph. */
  readonly single: string;
  /** `identities`: the list field of the graph. */
  readonly list: string;
  readonly shape: Shape;
  readonly options: ResourceOptions;
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly edges: ReadonlyMap<string, Edge>;
  readonly relations: Map<string, Relation>;
  readonly verbs: ReadonlySet<Verb>;
}

const definitions = new WeakMap<Shape, Resource>();

/** Declares a class as a resource: GraphQL and REST operations are derived from it. */
export const resource =
  <N extends string = string>(options: ResourceOptions & { readonly hooks?: Hooks<N> }) =>
  (shape: Shape<N extends ResourceName ? EntityTypes[N] : object>): void => {
    const name = shape.name;
    const lacking = options.rest?.lacks ?? [];
    const attributes = new Map(
      attributesOf(shape).map((a) => [
        a.name,
        lacking.includes(a.name) ? { ...a, graphOnly: true } : a,
      ]),
    );
    definitions.set(shape, {
      name,
      single: lowerFirst(name),
      list: lowerFirst(options.plural),
      shape,
      options,
      label: options.label ?? lowerFirst(name),
      table: options.table ?? snakeCase(lowerFirst(name)),
      model: options.model ?? lowerFirst(name),
      attributes,
      edges: edgesOf(attributes.values(), options.isRecord === true),
      relations: new Map((options.relations ?? []).map((r) => [r.name, r])),
      verbs: new Set(options.verbs ?? ['create', 'replace', 'update', 'delete']),
    });
  };

export function resourceOf(shape: Shape): Resource {
  const definition = definitions.get(shape);
  if (!definition) throw new Error(`${shape.name} is not declared with @resource`);
  return definition;
}

function edgesOf(attributes: Iterable<Attribute>, isRecord: boolean): Map<string, Edge> {
  const edges = new Map<string, Edge>();
  for (const { name, type, nullable } of attributes) {
    if (type.kind !== 'reference') continue;
    const edge = type.as ?? name.replace(/Id$/, '');
    edges.set(edge, {
      name: edge,
      attribute: name,
      target: type.target,
      nullable: nullable === true || (isRecord && type.onDelete === 'keep'),
      onRest: type.onRest ?? true,
    });
  }
  return edges;
}

export const columnOf = (a: Attribute): string => snakeCase(a.name);

/** The member of an input that gives an attribute of an entity with these values. */
export function givenBy({ attributes }: Resource, name: string, values: object): string {
  const { givenBy: member = name } = attributes.get(name) ?? {};
  return typeof member === 'string' ? member : member(values);
}

/** The unique indexes of its table, as lists of attributes. */
export const uniqueOf = ({ attributes, options }: Resource): (readonly string[])[] => [
  ...(attributes.has('name') ? [['name']] : []),
  ...(options.unique ?? []),
];

export const storedAttributes = (r: Resource): Attribute[] =>
  [...r.attributes.values()].filter(isStored);

/** The attributes that are derived from others of the same row. */
export const followingAttributes = ({ attributes }: Resource): Attribute[] =>
  [...attributes.values()].filter((a) => a.follows !== undefined);

/** Values to store, with the values that are derived from them. */
export function withFollowing(resource: Resource, values: object): object {
  const following = followingAttributes(resource).filter(
    ({ follows }) => follows && follows.from in values,
  );
  if (following.length === 0) return values;
  return {
    ...values,
    ...Object.fromEntries(
      following.map(({ name, follows }) => [
        name,
        follows?.value(attributeOf(values, follows.from)),
      ]),
    ),
  };
}
