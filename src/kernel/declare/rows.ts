import type { JsonObject, Row } from '../../base/row.js';

/*
 * A row has the type that the class of its resource declares: `RowOf<'Identity'>`. Code that works
 * for every resource uses only members that every resource has:
 * - `StoredEntity`: a row of a table, as transactions read it;
 * - `SelectedEntity`: an entity with the attributes that a document selects; the id is always
 * present;
 * - `object`: values to store, under the names of their attributes. It reads other values by the
 *   name of their attribute (`attributeOf`), since the declaration gives their type.
 */

/** The classes of all resources by name: `src/resources/index.ts` adds those of the catalog. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- members come by declaration merging
export interface EntityTypes {}

export type ResourceName = keyof EntityTypes;

declare const computed: unique symbol;
declare const inputOnly: unique symbol;

/** The type of a property without a column: `sql` or `compute` computes it when it is read. */
export interface Computed<T> {
  readonly [computed]: T;
}

/**
 * The type of a property that clients send and that is not stored: a hook derives stored values
 * from it.
 */
export interface InputOnly<T> {
  readonly [inputOnly]: T;
}

type Stored<E> = {
  [K in keyof E as E[K] extends Computed<unknown> | InputOnly<unknown> ? never : K]: E[K];
};

type Written<E> = {
  [K in keyof E as E[K] extends Computed<unknown> ? never : K]?:
    (E[K] extends InputOnly<infer T> ? T : E[K]) | undefined;
};

type Selected<E> = {
  [K in keyof E as E[K] extends InputOnly<unknown> ? never : K]?: E[K] extends Computed<infer T>
    ? T
    : E[K];
};

type Condition<V> =
  | V
  | readonly V[]
  | (V extends readonly (infer Entry)[]
      ? { readonly has: Entry } | { readonly hasSome: readonly Entry[] }
      : never);

/**
 * A row of the table of any resource. A type alias, since an interface is not assignable to
 * `JsonObject`.
 */
export type StoredEntity = {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly tags: JsonObject;
  readonly isSystem: boolean;
  readonly revision: number;
};

/** An entity of any resource, with the attributes that were read. */
export type SelectedEntity = { readonly id: string };

/** The value of an attribute of any resource, or of another member of the row. */
export const attributeOf = (values: object, name: string): unknown => (values as Row)[name];

export function setAttribute(values: object, name: string, value: unknown): void {
  (values as Row)[name] = value;
}

/** A row of the table of a resource, as its class declares it. */
export type RowOf<N extends string> = N extends ResourceName
  ? Stored<EntityTypes[N]>
  : StoredEntity;

/** An entity with its id and the attributes that a document selects. */
export type SelectedOf<N extends string> = N extends ResourceName
  ? Selected<EntityTypes[N]> & SelectedEntity
  : SelectedEntity;

/** Some attributes of a row, with the values to store. */
export type ValuesOf<N extends string> = N extends ResourceName
  ? Partial<Stored<EntityTypes[N]>>
  : object;

/** A new row: absent attributes get the default of their column. */
export type NewRowOf<N extends string> = N extends ResourceName
  ? Partial<Stored<EntityTypes[N]>> & { readonly id: string }
  : { readonly id: string };

/** The values of a write: those to store, and those that hooks convert. */
export type WrittenOf<N extends string> = N extends ResourceName ? Written<EntityTypes[N]> : object;

type AsLogged<V> = V extends Date ? Date | string : V;

/** A state of an entity in the change log: its attributes as JSON, and further logged members. */
export type LoggedOf<N extends string> = N extends ResourceName
  ? { readonly [K in keyof RowOf<N>]?: AsLogged<RowOf<N>[K]> } & JsonObject
  : JsonObject;

/** Equality per attribute; an array means any of; `{ has }` means the set holds the value. */
export type MatchOf<N extends string> = N extends ResourceName
  ? { readonly [K in keyof RowOf<N>]?: Condition<RowOf<N>[K]> }
  : Readonly<Record<string, Condition<string> | Condition<string[]>>>;

type Present<T, K extends keyof T> = { readonly [P in K]-?: Exclude<T[P], undefined> };

/** Narrows members that every create has, since their attributes are required or have a default. */
export function present<T extends object, K extends keyof T & string>(
  values: T,
  ...names: readonly K[]
): Present<T, K> {
  const missing = names.find((name) => values[name] === undefined);
  if (missing !== undefined) throw new Error(`a write lacks ${missing}`);
  return values as Present<T, K>;
}
