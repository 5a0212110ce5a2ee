import type { RequestContext } from '../request/context.js';
import type { JsonObject } from '../../base/row.js';
import type { Sql } from '../../base/sql.js';
import type { Typed, ValueOf } from '../../base/typed.js';
import type { Computed, InputOnly, ResourceName, SelectedEntity } from './rows.js';
import type { ColumnOptions } from './table.js';

/**
 * The type of a value. Each kind has one GraphQL type, one input type, one column type and one JSON
 * schema.
 */
export type AttributeType =
  | { readonly kind: 'text'; readonly min?: number; readonly max?: number }
  /** The id of something in an answer; an attribute of a resource refers by `reference`. */
  | { readonly kind: 'id' }
  | { readonly kind: 'int'; readonly min?: number; readonly max?: number }
  | { readonly kind: 'bool' }
  | { readonly kind: 'time' }
  /** A free JSON object; `values` narrows what its members may be. */
  | { readonly kind: 'map'; readonly values?: 'tag' | 'cost' | 'precedence' }
  /** Any JSON value. */
  | { readonly kind: 'json' }
  | { readonly kind: 'bytes' }
  /** A set of strings: de-duplicated, sorted by bytes. */
  | { readonly kind: 'set'; readonly of?: 'attribute' | 'text' }
  | EnumType
  /** Values in an order, not objects. */
  | { readonly kind: 'list'; readonly of: AttributeType }
  | { readonly kind: 'object'; readonly of: () => Shape }
  | { readonly kind: 'objects'; readonly of: () => Shape }
  /** The id of one entity; the graph also shows the entity itself as `as`. */
  | {
      readonly kind: 'reference';
      readonly target: string;
      readonly as?: string;
      readonly onDelete: 'cascade' | 'restrict' | 'keep';
      /** False: REST bodies hold the id alone. */
      readonly onRest?: boolean;
      /**
       * Reads a value that is not an id of the target, such as the id of another resource; null: it
       * names nothing.
       */
      readonly instead?: (
        value: string,
      ) => readonly [target: string, id: string] | null | undefined;
    }
  /** A set of ids; an id leaves the set when its entity goes. */
  | { readonly kind: 'references'; readonly target: string }
  /** A role list: `#attribute`, `@id`, `#all`. */
  | { readonly kind: 'roles'; readonly target: string };

interface EnumType<V extends string = string> {
  readonly kind: 'enum';
  readonly name: string;
  readonly values: readonly V[];
  /** The meaning of each value. */
  readonly meanings: Readonly<Record<string, string>>;
  /** Describes the enum for all attributes of this type. Default: the description of the first one. */
  readonly description: string | undefined;
}

/** The type of a value, with its TypeScript type `T`. */
export type TypedAttribute<T> = AttributeType & Typed<T>;

/** The TypeScript type of a property of this attribute type: `kind!: ValueOf<typeof KIND>`. */
export type { ValueOf };

/** `T` narrows texts that the program makes; inputs check `min` and `max` alone. */
export const text = <T extends string = string>(
  limits: { min?: number; max?: number } = {},
): TypedAttribute<T> => ({
  kind: 'text',
  ...limits,
});
export const id = (): TypedAttribute<string> => ({ kind: 'id' });
export const int = (limits: { min?: number; max?: number } = {}): TypedAttribute<number> => ({
  kind: 'int',
  ...limits,
});
export const bool = (): TypedAttribute<boolean> => ({ kind: 'bool' });
export const time = (): TypedAttribute<Date> => ({ kind: 'time' });
/** A time inside JSON, stored as text. */
export const timeText = (): TypedAttribute<string> => ({ kind: 'time' });
/** Any JSON value; the property gives its TypeScript type. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- fits any type of the property
export const json = (): TypedAttribute<any> => ({ kind: 'json' });
export const bytes = (): TypedAttribute<Uint8Array> => ({ kind: 'bytes' });
export const map = (values?: 'tag' | 'cost' | 'precedence'): TypedAttribute<JsonObject> =>
  values === undefined ? { kind: 'map' } : { kind: 'map', values };
export const textSet = (): TypedAttribute<string[]> => ({ kind: 'set', of: 'text' });
export const attributeSet = (): TypedAttribute<string[]> => ({ kind: 'set', of: 'attribute' });
/** One of the values that `meanings` explains. */
export const oneOf = <V extends string>(
  name: string,
  meanings: Readonly<Record<V, string>>,
  description?: string,
): EnumType<V> & Typed<V> => ({
  kind: 'enum',
  name,
  values: Object.keys(meanings) as V[],
  meanings,
  description,
});
export const list = <T>(of: TypedAttribute<T>): TypedAttribute<T[]> => ({ kind: 'list', of });
export const object = <T extends object>(of: () => Shape<T>): TypedAttribute<T> => ({
  kind: 'object',
  of,
});
export const objects = <T extends object>(of: () => Shape<T>): TypedAttribute<T[]> => ({
  kind: 'objects',
  of,
});
export const references = (target: ResourceName): TypedAttribute<string[]> => ({
  kind: 'references',
  target,
});
export const roles = (target: ResourceName): TypedAttribute<string[]> => ({
  kind: 'roles',
  target,
});
export const reference = (
  target: ResourceName,
  options: Omit<Extract<AttributeType, { kind: 'reference' }>, 'kind' | 'target'>,
): TypedAttribute<string> => ({ kind: 'reference', target, ...options });

/** Computes one attribute for all rows of a page in one call. */
export interface Compute {
  /** Attributes of the row that the computation reads. */
  readonly needs: readonly string[];
  readonly values: (
    rows: readonly SelectedEntity[],
    ctx: RequestContext,
    /**
     * The arguments of the attribute, if it has any (`shapes` in the list arguments of the
     * resource).
     */
    options: JsonObject,
  ) => readonly unknown[] | Promise<readonly unknown[]>;
}

/**
 * Decides for a page of rows whether the caller may see a secret. Administrators see every secret.
 */
export interface Secret {
  /** Attributes of the row that the decision reads. */
  readonly needs: readonly string[];
  readonly isShown: (
    rows: readonly SelectedEntity[],
    ctx: RequestContext,
  ) => readonly boolean[] | Promise<readonly boolean[]>;
  /** The value that other callers see. Default: an empty text; null stays null. */
  readonly redacted?: (value: unknown) => unknown;
}

export interface AttributeOptions {
  readonly description: string;
  /** The verbs that accept it. Default `always`: create, replace and update. */
  readonly write?: 'always' | 'create' | 'never';
  /** Must be present on create and replace (`create`: on create alone). */
  readonly required?: boolean | 'create';
  /** Whether the value may be null. */
  readonly nullable?: boolean;
  /** The value that create and replace store when the member is absent. */
  readonly default?: unknown;
  /** A replacement without the member leaves it: clients that do not know it write entities back. */
  readonly keptByReplace?: true;
  /**
   * Usable in filters under its own name; a text adds the documented name, such as
   * `roleAttributes`, and a list adds several.
   */
  readonly filter?: boolean | string | readonly string[];
  /**
   * Usable in filters, but not listed in `filterableFields`; a function gives its SQL when it is
   * not a column.
   */
  readonly graphFilter?: true | ((alias: string, ctx: RequestContext) => Sql);
  /** Its SQL in filters searches a large table: filters bound and charge it as linked entities. */
  readonly searchesOtherRows?: true;
  /**
   * The numbers under which the public controller stored the values of the enumeration in 1.x:
   * filters of its clients may compare them.
   */
  readonly storedNumbers?: Readonly<Record<string, number>>;
  /** The name of the input member, if it differs from the name of the attribute. */
  readonly inputName?: string;
  /** The type of the input, if it differs from the type that is read. */
  readonly inputType?: AttributeType;
  /** Differences of its column from the default of its type. */
  readonly column?: ColumnOptions;
  /** No column: SQL computes it from the row `alias`. */
  readonly sql?: (alias: string) => Sql;
  /** No column: a function computes it for a page of rows. */
  readonly compute?: Compute;
  /** The member of inputs that gives it, such as `certPem` for its fingerprint: refusals of its value name this member. */
  readonly givenBy?: string | ((values: object) => string);
  /** Only a member of inputs; a hook derives stored values from it. */
  readonly inputOnly?: boolean;
  /** An unknown id is refused with 400 on this field. Default: 404. */
  readonly missingField?: string;
  /**
   * Only entities whose `member` has one of these values have it; for other entities it is ignored.
   */
  readonly onlyIf?: { readonly member: string; readonly is: readonly string[] };
  /** An id or address that the entity has outside of the network: searches find it by this. */
  readonly isExternalId?: true;
  /** Stored or accepted, but never shown on GraphQL or REST. */
  readonly hidden?: boolean;
  /** Not written to the change log: a secret, a frequent counter, or a value derived from others. */
  readonly unlogged?: boolean;
  /** Stored, and computed again at each write of its source attribute. */
  readonly follows?: Follows;
  /**
   * A time or a count of the writes of its entity, or a value that the clock decides: a change that undoes another
   * one leaves it.
   */
  readonly isStamp?: true;
  /** Limits its readers. Other callers see it redacted and can not filter or order by it. */
  readonly secret?: Secret;
  /** A REST PATCH without this member clears it; other members of the body do not matter. */
  readonly clearedByAbsence?: true;
  /** GraphQL only: REST bodies neither show nor accept it. */
  readonly graphOnly?: boolean;
  /**
   * Its name in REST bodies, if it differs from the name on the graph. In answers a dot leads into a
   * nested object: `policy.id`.
   */
  readonly restName?: string;
  /** REST bodies omit it when it is null, as clients expect of optional members. */
  readonly omitEmpty?: boolean;
  /** Members of its object, or of its objects, that REST bodies of answers omit. */
  readonly restWithout?: readonly string[];
  /** The REST form of its value, if clients expect another shape. */
  readonly restShape?: RestShape;
}

/** Derives an attribute from another one of the same row. */
export interface Follows {
  readonly from: string;
  readonly value: (from: unknown) => unknown;
}

/** Converts a value of the graph to the form of REST bodies. */
export interface RestShape {
  /** Its type in the OpenAPI documents, if it differs. */
  readonly type?: AttributeType;
  readonly of: (value: never) => unknown;
}

export interface Attribute extends AttributeOptions {
  readonly name: string;
  readonly type: AttributeType;
}

/** A class whose members are declared with `@attribute`. */
export type Shape<T extends object = object> = abstract new () => T;

const declaredAttributes = new WeakMap<object, Attribute[]>();

type Nullable<T, O> = O extends { readonly nullable: true } ? T | null : T;

/** The type of the property that an attribute declares. */
type PropertyOf<T, O> = O extends { readonly compute: Compute } | { readonly sql: unknown }
  ? Computed<Nullable<T, O>>
  : O extends { readonly inputOnly: true }
    ? InputOnly<Nullable<T, O>>
    : Nullable<T, O>;

type IsSame<A, B> = [Writable<A>] extends [Writable<B>]
  ? [Writable<B>] extends [Writable<A>]
    ? true
    : false
  : false;

/** Removes `readonly` from lists, so that properties may be read only. */
type Writable<T> = T extends readonly (infer E)[] ? E[] : T;

/** The compiler shows this type when a property and its attribute have different types. */
interface DeclaredAs<P> {
  readonly 'the attribute declares this property as': P;
}

/** A decorator that accepts only properties of this type. */
type PropertyDecoratorOf<P> = <C extends object, K extends keyof C & string>(
  prototype: C & (IsSame<C[K], P> extends true ? unknown : DeclaredAs<P>),
  key: K,
) => void;

/** Declares one member of a resource or of a nested object. */
export const attribute =
  <T, const O extends AttributeOptions>(
    type: TypedAttribute<T>,
    options: O,
  ): PropertyDecoratorOf<PropertyOf<T, O>> =>
  (prototype, key) => {
    declare(prototype, { ...options, name: key, type });
  };

function declare(prototype: object, member: Attribute): void {
  const own = declaredAttributes.get(prototype) ?? [];
  own.push(member);
  declaredAttributes.set(prototype, own);
}

/** The declaration of an attribute without its name. */
export type AttributeDeclaration = AttributeOptions & { readonly type: AttributeType };

/** Declares further members of a class from a list; they come after those of the class body. */
export const attributes =
  (members: Iterable<Attribute>) =>
  (shape: Shape): void => {
    for (const member of members) declare(shape.prototype as object, member);
  };

const descriptions = new WeakMap<Shape, string>();

/** Sets the description that the graph shows for a class of nested objects. */
export const described =
  (description: string) =>
  (shape: Shape): void => {
    descriptions.set(shape, description);
  };

export const descriptionOf = (shape: Shape): string =>
  descriptions.get(shape) ?? 'Part of a larger object.';

/**
 * The attributes of a class, inherited ones first, in the order of declaration. One that a class
 * declares again keeps its place.
 */
export function attributesOf(shape: Shape): readonly Attribute[] {
  const own: Attribute[][] = [];
  for (
    let prototype: unknown = shape.prototype;
    prototype !== null && typeof prototype === 'object';
    prototype = Object.getPrototypeOf(prototype)
  ) {
    own.unshift(declaredAttributes.get(prototype) ?? []);
  }
  return [...new Map(own.flat().map((member) => [member.name, member])).values()];
}

/** Whether the attribute is a column of the table. */
export const isStored = (a: Attribute): boolean =>
  a.sql === undefined && a.compute === undefined && a.inputOnly !== true;

/** Whether the graph shows the attribute. */
export const isShown = (a: Attribute): boolean => a.hidden !== true && a.inputOnly !== true;

/** The verbs that have an input. */
export type InputVerb = 'create' | 'replace' | 'update';

/** Whether the input of this verb may contain the attribute. */
export const isWritable = (a: Attribute, verb: InputVerb): boolean =>
  a.write === undefined || a.write === 'always' || (a.write === 'create' && verb === 'create');

/** The documented names by which filters use the attribute; empty if they have none. */
export function filterNamesOf({ name, filter = false }: Attribute): readonly string[] {
  if (typeof filter === 'boolean') return filter ? [name] : [];
  return typeof filter === 'string' ? [filter] : filter;
}

export const inputNameOf = (a: Attribute): string => a.inputName ?? a.name;
