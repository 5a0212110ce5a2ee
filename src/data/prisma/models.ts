import type { ResourceName, RowOf } from '../../kernel/declare/rows.js';
import type { Prisma } from './emitted/client.js';

/*
 * The models of the schema in our own words: operations that send exactly one statement, and rows whose
 * members have the types of their declarations.
 */

type ModelTypes = Prisma.TypeMap['model'];

/** The names of the models, which are those of resources and of the tables beside them. */
export type ModelName = keyof ModelTypes;

/** The columns of a table as Prisma gives them. */
export type ColumnsOf<N extends ModelName> = ModelTypes[N]['payload']['scalars'];

/**
 * The types of columns that say more than their kind in the database (closed texts, shapes of JSON), for
 * tables beside those of resources: by the name of the model. The homes of the tables add them.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- members come by declaration merging
export interface ColumnShapes {}

type ShapesOf<N extends ModelName> = N extends ResourceName
  ? RowOf<N>
  : N extends keyof ColumnShapes
    ? ColumnShapes[N]
    : unknown;

/** The type of a column that a declaration narrows; bytes are those of Prisma. */
type Narrowed<Column, Shape> = Column extends Uint8Array
  ? Column
  : null extends Column
    ? Shape
    : NonNullable<Shape>;

/** A row of a table, with the names of its attributes in code. */
export type TableRow<N extends ModelName> = {
  readonly [K in keyof ColumnsOf<N>]: K extends keyof ShapesOf<N>
    ? Narrowed<ColumnsOf<N>[K], ShapesOf<N>[K]>
    : ColumnsOf<N>[K];
};

type FitsColumn<Column, Shape> = Prisma.JsonValue extends Column
  ? true
  : Shape extends Uint8Array
    ? true
    : [NonNullable<Shape>] extends [NonNullable<Column>]
      ? true
      : false;

type UnfitOf<N extends ResourceName & ModelName> = {
  [K in keyof RowOf<N> & string]: K extends keyof ColumnsOf<N>
    ? FitsColumn<ColumnsOf<N>[K], RowOf<N>[K]> extends true
      ? never
      : `${N}.${K}`
    : `${N}.${K}`;
}[keyof RowOf<N> & string];

/** The attributes of resources that the schema lacks, or has with another type: none. */
export type UnfitAttributes = { [N in ResourceName & ModelName]: UnfitOf<N> }[ResourceName &
  ModelName];

type ArgumentsOf<
  N extends ModelName,
  O extends keyof ModelTypes[N]['operations'],
> = ModelTypes[N]['operations'][O] extends { readonly args: infer A } ? A : never;

type ArgumentOf<
  N extends ModelName,
  O extends keyof ModelTypes[N]['operations'],
  K extends string,
> = ArgumentsOf<N, O> extends { readonly [P in K]?: infer A } ? NonNullable<A> : never;

type Where<N extends ModelName> = ArgumentOf<N, 'findMany', 'where'>;
type UniqueWhere<N extends ModelName> = ArgumentOf<N, 'findUnique', 'where'>;
type Select<N extends ModelName> = ArgumentOf<N, 'findMany', 'select'>;
type Omission<N extends ModelName> = ArgumentOf<N, 'findMany', 'omit'>;
type OrderBy<N extends ModelName> = ArgumentOf<N, 'findMany', 'orderBy'>;

/** A relation of a model, as a selected row shows it. */
type Related<Side, S> = Side extends readonly (infer Entry)[]
  ? Related<Entry, S>[]
  : Side extends { readonly name: infer M extends ModelName }
    ? S extends { readonly select: infer T }
      ? Selected<M, T>
      : TableRow<M>
    : null;

type RelationsOf<N extends ModelName> = ModelTypes[N]['payload']['objects'];

/** The selected columns and relations of a row. */
export type Selected<N extends ModelName, S> = {
  readonly [K in keyof S as S[K] extends false | undefined ? never : K]: K extends keyof TableRow<N>
    ? TableRow<N>[K]
    : K extends keyof RelationsOf<N>
      ? Related<RelationsOf<N>[K], S[K]>
      : never;
};

type KeyOf<T> = T extends unknown ? keyof T : never;

/** An argument without members that the model lacks, also where it is no literal. */
type Exact<T, Allowed> = T & { readonly [K in Exclude<keyof T, KeyOf<Allowed>>]: never };

type Data<N extends ModelName, O extends keyof ModelTypes[N]['operations']> = ArgumentOf<
  N,
  O,
  'data'
>;

/** How many rows were written. */
interface WrittenRows {
  readonly count: number;
}

interface ReadModel<N extends ModelName> {
  findUnique<S extends Select<N>, W extends UniqueWhere<N>>(args: {
    readonly where: Exact<W, UniqueWhere<N>>;
    readonly select: Exact<S, Select<N>>;
  }): PromiseLike<Selected<N, S> | null>;
  /** Prisma keeps no plan of a statement with `take` or `skip`: they are for cold reads. */
  findMany<S extends Select<N>, W extends Where<N>>(args: {
    readonly where?: Exact<W, Where<N>>;
    readonly select: Exact<S, Select<N>>;
    readonly orderBy?: OrderBy<N>;
    readonly take?: number;
  }): PromiseLike<Selected<N, S>[]>;
  /** All columns but some, for rows whose columns follow from declarations. */
  findMany<O extends Omission<N>>(args: {
    readonly omit: Exact<O, Omission<N>>;
  }): PromiseLike<Omit<TableRow<N>, keyof O>[]>;
  /** The distinct values of columns. */
  groupBy<K extends keyof ColumnsOf<N>, W extends Where<N>>(args: {
    readonly by: readonly K[];
    readonly where?: Exact<W, Where<N>>;
    readonly orderBy?: { readonly [P in K]?: 'asc' | 'desc' };
  }): PromiseLike<Pick<TableRow<N>, K>[]>;
  count<W extends Where<N>>(args: { readonly where?: Exact<W, Where<N>> }): PromiseLike<number>;
}

/**
 * Lists are given by `listValue`, and JSON by `jsonValue`. An `upsert` is one statement only if its key
 * alone decides, and the row to create has the same key.
 */
interface Model<N extends ModelName> extends ReadModel<N> {
  create<S extends Select<N>, D extends Data<N, 'create'>>(args: {
    readonly data: Exact<D, Data<N, 'create'>>;
    readonly select: Exact<S, Select<N>>;
  }): PromiseLike<Selected<N, S>>;
  updateMany<W extends Where<N>, D extends Data<N, 'updateMany'>>(args: {
    readonly where: Exact<W, Where<N>>;
    readonly data: Exact<D, Data<N, 'updateMany'>>;
  }): PromiseLike<WrittenRows>;
  updateManyAndReturn<
    S extends Select<N>,
    W extends Where<N>,
    D extends Data<N, 'updateMany'>,
  >(args: {
    readonly where: Exact<W, Where<N>>;
    readonly data: Exact<D, Data<N, 'updateMany'>>;
    readonly select: Exact<S, Select<N>>;
  }): PromiseLike<Selected<N, S>[]>;
  upsert<
    S extends Select<N>,
    W extends UniqueWhere<N>,
    C extends ArgumentOf<N, 'upsert', 'create'>,
    U extends ArgumentOf<N, 'upsert', 'update'>,
  >(args: {
    readonly where: Exact<W, UniqueWhere<N>>;
    readonly create: Exact<C, ArgumentOf<N, 'upsert', 'create'>>;
    readonly update: Exact<U, ArgumentOf<N, 'upsert', 'update'>>;
    readonly select: Exact<S, Select<N>>;
  }): PromiseLike<Selected<N, S>>;
  deleteMany<W extends Where<N>>(args: {
    readonly where: Exact<W, Where<N>>;
  }): PromiseLike<WrittenRows>;
}

/** The models, by their names with a small first letter, for reads. */
export type ReadModels = { readonly [N in ModelName as Uncapitalize<N>]: ReadModel<N> };

/** The models, by their names with a small first letter. */
export type Models = { readonly [N in ModelName as Uncapitalize<N>]: Model<N> };
