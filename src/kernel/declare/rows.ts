import type { JsonObject, Row } from '../../base/row.js';

/*
 * A row has the type that the class of its resource declares: `RowOf<'Identity'>`. Code that works
 * for every resource knows of rows what every resource has, and nothing else:
 * - `StoredEntity`: a row of a table, as transactions find it and the write pipeline stamps it;
 * - `SelectedEntity`: an entity with what was read of it, such as a document asks for; its id always is;
 * - `object`: values to store, under the names of their attributes.
 * It gets at any other value by the name of its attribute (`attributeOf`), as the declaration says
 * what that value is.
 */

/** The classes of all resources by name: `src/resources/index.ts` adds those of the catalog. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- members come by declaration merging
export interface EntityTypes {}

export type ResourceName = keyof EntityTypes;

declare const computed: unique symbol;
declare const inputOnly: unique symbol;

/** The type of a property that no column holds: `sql` or `compute` works it out when it is read. */
export interface Computed<T> {
  readonly [computed]: T;
}

/** The type of a property that clients send and nothing stores: a hook turns it into something else. */
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

/** A row of the table of any resource. No interface, which the compiler would not take as a JSON object. */
export type StoredEntity = {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly tags: JsonObject;
  readonly isSystem: boolean;
  readonly revision: number;
};

/** An entity of any resource, with those of its attributes that were read. */
export type SelectedEntity = { readonly id: string };

/** The value of an attribute of any resource, or of a member that stands beside attributes. */
export const attributeOf = (values: object, name: string): unknown => (values as Row)[name];

export function setAttribute(values: object, name: string, value: unknown): void {
  (values as Row)[name] = value;
}

/** A row of the table of a resource, as its class declares it. */
export type RowOf<N extends string> = N extends ResourceName
  ? Stored<EntityTypes[N]>
  : StoredEntity;

/** An entity as a document asks for it: its id, and those of its attributes that are selected. */
export type SelectedOf<N extends string> = N extends ResourceName
  ? Selected<EntityTypes[N]> & SelectedEntity
  : SelectedEntity;

/** Some attributes of a row, with the values to store. */
export type ValuesOf<N extends string> = N extends ResourceName
  ? Partial<Stored<EntityTypes[N]>>
  : object;

/** A new row: what it leaves out has the default of its column. */
export type NewRowOf<N extends string> = N extends ResourceName
  ? Partial<Stored<EntityTypes[N]>> & { readonly id: string }
  : { readonly id: string };

/** What a write brings: values to store, and those that hooks turn into something else. */
export type WrittenOf<N extends string> = N extends ResourceName ? Written<EntityTypes[N]> : object;

type AsLogged<V> = V extends Date ? Date | string : V;

/** A state of an entity in the change log: its attributes as JSON has them, and what is logged beside them. */
export type LoggedOf<N extends string> = N extends ResourceName
  ? { readonly [K in keyof RowOf<N>]?: AsLogged<RowOf<N>[K]> } & JsonObject
  : JsonObject;

/** Equality per attribute; an array means any of; `{ has }` means the set holds the value. */
export type MatchOf<N extends string> = N extends ResourceName
  ? { readonly [K in keyof RowOf<N>]?: Condition<RowOf<N>[K]> }
  : Readonly<Record<string, Condition<string> | Condition<string[]>>>;

type Present<T, K extends keyof T> = { readonly [P in K]-?: Exclude<T[P], undefined> };

/** Members that every create brings, since their attributes are required or have a default. */
export function present<T extends object, K extends keyof T & string>(
  values: T,
  ...names: readonly K[]
): Present<T, K> {
  const missing = names.find((name) => values[name] === undefined);
  if (missing !== undefined) throw new Error(`a write lacks ${missing}`);
  return values as Present<T, K>;
}
