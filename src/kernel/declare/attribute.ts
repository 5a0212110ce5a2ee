import type { RequestContext } from '../request/context.js';
import type { JsonObject } from '../../base/row.js';
import type { Sql } from '../../base/sql.js';
import type { Typed, ValueOf } from '../../base/typed.js';
import type { Computed, InputOnly, ResourceName, SelectedEntity } from './rows.js';
import type { ColumnOptions } from './table.js';

/** What a value is. Each kind has one GraphQL type, one input type, one column type and one JSON schema. */
export type AttributeType =
  | { readonly kind: 'text'; readonly min?: number; readonly max?: number }
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
  | {
      readonly kind: 'enum';
      readonly name: string;
      readonly values: readonly string[];
      /** What each value says. */
      readonly meanings: Readonly<Record<string, string>>;
      /** Of all the attributes that have it; else it is described as the first of them. */
      readonly description: string | undefined;
    }
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
      /** What a value names that is no id of the target; null: nothing. */
      readonly instead?: (
        value: string,
      ) => readonly [target: string, id: string] | null | undefined;
    }
  /** A set of ids; an id leaves the set when its entity goes. */
  | { readonly kind: 'references'; readonly target: string }
  /** A role list: `#attribute`, `@id`, `#all`. */
  | { readonly kind: 'roles'; readonly target: string };

/** What a value is, with the type that it has in the program. */
export type TypedAttribute<T> = AttributeType & Typed<T>;

/** The type of a property of an attribute type: `kind!: ValueOf<typeof KIND>`. */
export type { ValueOf };

export const text = (limits: { min?: number; max?: number } = {}): TypedAttribute<string> => ({
  kind: 'text',
  ...limits,
});
export const int = (limits: { min?: number; max?: number } = {}): TypedAttribute<number> => ({
  kind: 'int',
  ...limits,
});
export const bool = (): TypedAttribute<boolean> => ({ kind: 'bool' });
export const time = (): TypedAttribute<Date> => ({ kind: 'time' });
/** A time inside JSON, which holds it as text. */
export const timeText = (): TypedAttribute<string> => ({ kind: 'time' });
/** Its property says what the value holds. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- fits whatever the property says
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
): TypedAttribute<V> => ({
  kind: 'enum',
  name,
  values: Object.keys(meanings),
  meanings,
  description,
});
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

/** Fills one attribute of a whole page of rows at once, so that nothing is done per row. */
export interface Compute {
  /** Attributes of the row that the computation reads. */
  readonly needs: readonly string[];
  readonly values: (
    rows: readonly SelectedEntity[],
    ctx: RequestContext,
    /** Its arguments, where it has some (`shapes` of the list arguments of the resource). */
    options: JsonObject,
  ) => readonly unknown[] | Promise<readonly unknown[]>;
}

/** Decides for a page of rows at once who may see a secret; administrators always may. */
export interface Secret {
  /** Attributes of the row that the decision reads. */
  readonly needs: readonly string[];
  readonly isShown: (
    rows: readonly SelectedEntity[],
    ctx: RequestContext,
  ) => readonly boolean[] | Promise<readonly boolean[]>;
  /** What others see in its place. Default: an empty text, or still nothing. */
  readonly redacted?: (value: unknown) => unknown;
}

export interface AttributeOptions {
  readonly description: string;
  /** Default `always`: by create, replace and update. */
  readonly write?: 'always' | 'create' | 'never';
  /** Must be present on create and replace (`create`: on create alone). */
  readonly required?: boolean | 'create';
  /** Whether the value may be null. */
  readonly nullable?: boolean;
  /** What create and replace store when the member is absent. */
  readonly default?: unknown;
  /** Usable in filters, under its own name and, when that is another, its documented one. */
  readonly filter?: boolean | string;
  /** Usable in filters, though the REST interface lists it nowhere; SQL where it is not a column. */
  readonly graphFilter?: true | ((alias: string, ctx: RequestContext) => Sql);
  /** The member of the input when it is called otherwise than the attribute. */
  readonly inputName?: string;
  /** The shape of the input when it differs from what is read. */
  readonly inputType?: AttributeType;
  /** How its column differs from what its type implies. */
  readonly column?: ColumnOptions;
  /** Not stored as a column: computed by SQL from the row `alias`. */
  readonly sql?: (alias: string) => Sql;
  /** Not stored: computed for a page of rows. */
  readonly compute?: Compute;
  /** A member of inputs alone; a hook turns it into something stored. */
  readonly inputOnly?: boolean;
  /** How an unknown id is refused: 400 on this field; default 404. */
  readonly missingField?: string;
  /** Only entities of these kinds have it, as another member tells; sent with others it is dropped. */
  readonly onlyIf?: { readonly member: string; readonly is: readonly string[] };
  /** Stored or accepted, never shown by either door. */
  readonly hidden?: boolean;
  /** Never in the change log (a secret, a counter that changes all the time, or what follows from others). */
  readonly unlogged?: boolean;
  /** Stored, and worked out anew at each write that brings what it follows from. */
  readonly follows?: Follows;
  /** Who may see it; others see it redacted, and filter and order by it as little. */
  readonly secret?: Secret;
  /** A PATCH of REST without the member clears it; what else is sent beside it does not matter. */
  readonly clearedByAbsence?: true;
  /** On the graph alone: REST bodies neither show nor take it. */
  readonly graphOnly?: boolean;
  /** What REST bodies call it when it is called otherwise than on the graph. */
  readonly restName?: string;
  /** A REST body leaves it out when it is null, as clients expect of optional members. */
  readonly omitEmpty?: boolean;
  /** What REST bodies show in its place, where clients know another shape. */
  readonly restShape?: RestShape;
}

/** How an attribute follows from another one of the same row. */
export interface Follows {
  readonly from: string;
  readonly value: (from: unknown) => unknown;
}

/** Another shape of what is read: how a value of the graph becomes one of it. */
export interface RestShape {
  /** Its type in documents, when that is another. */
  readonly type?: AttributeType;
  readonly of: (value: never) => unknown;
}

export interface Attribute extends AttributeOptions {
  readonly name: string;
  readonly type: AttributeType;
}

/** A class whose members are declared with `@attribute`. */
export type Shape<T extends object = object> = abstract new () => T;

const declared = new WeakMap<object, Attribute[]>();

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

/** Properties may be read only. */
type Writable<T> = T extends readonly (infer E)[] ? E[] : T;

/** What the compiler shows where a property has another type than its attribute. */
interface DeclaredAs<P> {
  readonly 'the attribute declares this property as': P;
}

/** A decorator for properties of this type alone. */
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
  const own = declared.get(prototype) ?? [];
  own.push(member);
  declared.set(prototype, own);
}

/** What an attribute is declared with, beside its name. */
export type AttributeDeclaration = AttributeOptions & { readonly type: AttributeType };

/** Declares members of a class that a list names: they follow those that stand in the class. */
export const attributes =
  (members: Iterable<Attribute>) =>
  (shape: Shape): void => {
    for (const member of members) declare(shape.prototype as object, member);
  };

const descriptions = new WeakMap<Shape, string>();

/** Describes a class of nested objects, as the graph shows it. */
export const described =
  (description: string) =>
  (shape: Shape): void => {
    descriptions.set(shape, description);
  };

export const descriptionOf = (shape: Shape): string =>
  descriptions.get(shape) ?? 'Part of a larger object.';

/** The attributes of a class, inherited ones first, in the order of declaration. */
export function attributesOf(shape: Shape): readonly Attribute[] {
  const own: Attribute[][] = [];
  for (
    let prototype: unknown = shape.prototype;
    prototype !== null && typeof prototype === 'object';
    prototype = Object.getPrototypeOf(prototype)
  ) {
    own.unshift(declared.get(prototype) ?? []);
  }
  return own.flat();
}

/** Whether the attribute is a column of the table. */
export const isStored = (a: Attribute): boolean =>
  a.sql === undefined && a.compute === undefined && a.inputOnly !== true;

/** Whether the graph shows it. */
export const isShown = (a: Attribute): boolean => a.hidden !== true && a.inputOnly !== true;

/** The writes that bring an input. */
export type InputVerb = 'create' | 'replace' | 'update';

/** Whether a write takes it. */
export const isWritable = (a: Attribute, verb: InputVerb): boolean =>
  a.write === undefined || a.write === 'always' || (a.write === 'create' && verb === 'create');

export const inputNameOf = (a: Attribute): string => a.inputName ?? a.name;
