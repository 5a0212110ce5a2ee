import { attributesOf, isStored, oneOf, type Attribute, type Shape } from './attribute.js';
import type { RequestContext } from '../request/context.js';
import { lowerFirst, snakeCase } from '../../base/names.js';
import type { JsonObject } from '../../base/row.js';
import type { LargeValue, Sql } from '../../base/sql.js';
import type { RestOptions } from './rest.js';
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

/** Of a list of what entities need: all of it or any. */
export const SEMANTIC = oneOf(
  'Semantic',
  {
    AllOf: 'An entity needs all attributes of the list.',
    AnyOf: 'An entity needs any attribute of the list.',
  },
  'Whether all of what is listed is wanted, or any of it.',
);

/** What relations and answers about access can be narrowed to. */
export const ACCESS_TYPE = oneOf(
  'AccessType',
  { Dial: 'To open connections to a service.', Bind: 'To host a service.' },
  'A kind of access: dialing a service, or hosting it (`Bind`).',
);

/**
 * What a hook of the write pipeline sees; `values` is what will be written and may be changed. Its transaction
 * `tx` is declared with the store (`request/store-port.ts`).
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

/** Phases a resource adds to; the pipeline itself is in write.ts. */
export interface Hooks<N extends string = string> {
  /** Rules beyond shape: normalise and check `values`. */
  validate?(write: Write<N>): void | Promise<void>;
  /** Where there is no row to change or delete: refuses for a reason of its own, before 404 does. */
  absent?(tx: Write<N>['tx'], id: string): Promise<void>;
  /** In the transaction, before the row is written. */
  before?(write: Write<N>): void | Promise<void>;
  /** In the transaction, after the row was written. */
  after?(write: Write<N>): void | Promise<void>;
}

/** What follows from the entities of a resource: readers of the change log look for it. */
export interface Decisions {
  /** Attributes that decide who reaches what; access rules judge every change of them. */
  readonly reach?: readonly string[];
  /** Attributes of a rule about access. */
  readonly rule?: readonly string[];
  /** Whether posture passes. */
  readonly posture?: true;
  /** Whose API sessions end with it or may do other things: it is the session, its identity, or of all. */
  readonly callers?: 'apiSessionId' | 'identityId' | 'all';
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
  /** The same as correlated SQL, for filters over linked sets. */
  readonly link?: (outer: string, inner: string) => Sql;
  /** How many rows belong to each parent by its id, as a JSON object; parents without any may be left out. */
  readonly sizes?: (ctx: RequestContext) => LargeValue;
  /** Last segment of the REST path; `false`: on the graph alone. */
  readonly path?: string | false;
  /** Named in `filterableFields`. */
  readonly filterable?: boolean;
  /** Its rows are what the caller has of the parent, whoever asks; not all that belong to it. */
  readonly isOfCaller?: boolean;
}

/** A to-one edge that a reference attribute gives. */
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
  /** The resource that it names one of; an unknown one is 404. */
  readonly names?: string;
  /** Narrows the list. */
  readonly predicate?: (args: JsonObject, alias: string) => Sql;
  /**
   * Computed attributes that it shapes. On the graph it is an argument of these fields, so that one
   * entity has one value for each field and its arguments, as caches of clients expect.
   */
  readonly shapes?: readonly string[];
}

/** Those that narrow lists. */
export const narrowingArguments = ({ options }: Resource): readonly ListArgument[] =>
  (options.listArguments ?? []).filter(({ shapes }) => shapes === undefined);

/** Those that shape an attribute. */
export const shapingArguments = ({ options }: Resource, attribute: string): ListArgument[] =>
  (options.listArguments ?? []).filter(({ shapes }) => shapes?.includes(attribute));

/** What its table has beyond the columns of its attributes and the unique indexes. */
export interface ResourceStorage {
  /** Columns that no attribute shows. */
  readonly columns?: Readonly<Record<string, NamelessColumn>>;
  readonly indexes?: readonly Index[];
  /** The primary key when it is not `id`. */
  readonly key?: readonly string[];
}

export interface ResourceOptions {
  readonly description: string;
  readonly plural: string;
  /** Collection in REST paths and entity references; `urlName`. */
  readonly path: string;
  /** Entity of the permission list; `admin`: administrators alone. */
  readonly permission: string;
  /** How error causes call it (`no <label> found with the given ids`). */
  readonly label?: string;
  readonly table?: string;
  readonly model?: string;
  readonly storage?: ResourceStorage;
  /** Fixed values that tell this resource from others in the same table. */
  readonly discriminator?: Readonly<Record<string, boolean>>;
  readonly verbs?: readonly Verb[];
  readonly relations?: readonly Relation[];
  readonly hooks?: Hooks;
  /** Anybody may read it, even without a session. */
  readonly open?: boolean;
  /** The REST interfaces that serve it under `path`; default: management alone. */
  readonly interfaces?: readonly ('client' | 'management')[];
  /** Rows that a caller without the read permission may see; absent: none. */
  readonly visible?: (ctx: RequestContext, alias: string) => Sql;
  /** Whether a row is the caller itself, so that what hangs on it is the caller's own. */
  readonly isCaller?: (ctx: RequestContext, entity: SelectedEntity) => boolean;
  /** Narrows its list, where relations show more. */
  readonly listed?: (alias: string) => Sql;
  /** Narrows what even those see who may read it. */
  readonly within?: (ctx: RequestContext, alias: string) => Sql;
  /** Its rows are a record of what was: what they name may be gone. */
  readonly isRecord?: boolean;
  /** Unfiltered totals come from the model index, not from SQL. */
  readonly counted?: boolean;
  /** Links beside `self` in REST bodies: name -> path under the entity. */
  readonly links?: readonly string[];
  /** Ids that sort by creation time as text. */
  readonly sortableIds?: boolean;
  /** Arguments of its lists beside the common ones: texts or lists of texts. */
  readonly listArguments?: readonly ListArgument[];
  /** Changes of it are not logged (sessions come and go). */
  readonly unlogged?: boolean;
  /** What of its permission can be given one by one; default: every action. */
  readonly grants?: readonly Action[];
  readonly decides?: Decisions;
  readonly rest?: RestOptions;
  /**
   * Files that hold a network have a section of it, in the order of the catalog, if it can be created and
   * replaced; false: they do not.
   */
  readonly exported?: ExportOptions | false;
  /** Attributes that together are of one entity alone, beside the name: the unique indexes of its table. */
  readonly unique?: readonly (readonly string[])[];
}

/** What files that hold a network say of a resource, beside its attributes. */
export interface ExportOptions {
  /** References inside nested values; those that are attributes follow from their types. */
  readonly nested?: readonly NestedReference[];
  /** Attributes that an entity keeps for life; a file that says otherwise is refused. */
  readonly fixed?: readonly string[];
  /** Stored values that no two entities share, beside the name. */
  readonly unique?: readonly UniqueValue[];
}

export interface NestedReference {
  /** `primary.extJwt.allowedSigners` */
  readonly path: string;
  /** `keys`: the keys of an object name the entities. */
  readonly form: 'one' | 'list' | 'keys';
  readonly target: string;
}

/** A stored value, and the member of a file that it comes from. */
export interface UniqueValue {
  readonly attribute: string;
  readonly member: string;
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

/** Declares a class as a resource: everything both doors offer on it follows from this. */
export const resource =
  <N extends string = string>(options: ResourceOptions & { readonly hooks?: Hooks<N> }) =>
  (shape: Shape<N extends ResourceName ? EntityTypes[N] : object>): void => {
    const name = shape.name;
    const attributes = new Map(attributesOf(shape).map((a) => [a.name, a]));
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
      edges: edgesOf(attributes.values()),
      relations: new Map((options.relations ?? []).map((r) => [r.name, r])),
      verbs: new Set(options.verbs ?? ['create', 'replace', 'update', 'delete']),
    });
  };

export function resourceOf(shape: Shape): Resource {
  const definition = definitions.get(shape);
  if (!definition) throw new Error(`${shape.name} is not declared with @resource`);
  return definition;
}

function edgesOf(attributes: Iterable<Attribute>): Map<string, Edge> {
  const edges = new Map<string, Edge>();
  for (const { name, type, nullable } of attributes) {
    if (type.kind !== 'reference') continue;
    const edge = type.as ?? name.replace(/Id$/, '');
    edges.set(edge, {
      name: edge,
      attribute: name,
      target: type.target,
      nullable: nullable ?? false,
      onRest: type.onRest ?? true,
    });
  }
  return edges;
}

export const columnOf = (a: Attribute): string => snakeCase(a.name);

/** The unique indexes of its table, as lists of attributes. */
export const uniqueOf = ({ attributes, options }: Resource): (readonly string[])[] => [
  ...(attributes.has('name') ? [['name']] : []),
  ...(options.unique ?? []),
];

export const storedAttributes = (r: Resource): Attribute[] =>
  [...r.attributes.values()].filter(isStored);

/** The attributes that are worked out from others of the same row. */
export const followingAttributes = ({ attributes }: Resource): Attribute[] =>
  [...attributes.values()].filter((a) => a.follows !== undefined);

/** Values to store, with those that follow from them. */
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
