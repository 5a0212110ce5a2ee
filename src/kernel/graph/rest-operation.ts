import type { GraphQLField, GraphQLInputType } from 'graphql';
import { Extensions } from 'type-graphql';
import type { Permission } from '../declare/permissions.js';
import type { Interface, Link } from '../declare/rest.js';
import type { Schema } from '../declare/rest-schema.js';

/*
 * The REST operations of a field of the graph, declared with the field. The GraphQL document, its
 * variables, the check of the body and the OpenAPI description are derived from the field: its
 * arguments, its type, its description and its permission.
 */

export type { Interface } from '../declare/rest.js';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly description: string;
  readonly schema: Schema;
  readonly required?: boolean;
}

/** A parsed request, independent of the transport. */
export interface RestRequest {
  /** Values of the `{…}` segments. */
  readonly path: Readonly<Record<string, string>>;
  /** All values of each query parameter. */
  readonly query: ReadonlyMap<string, readonly string[]>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; undefined without one. */
  readonly body: unknown;
}

/**
 * The source of the value of an argument. Default: the path segment with its name, else the query
 * of a GET, else the body.
 */
export type ArgumentSource =
  /** A segment of the path, under another name. */
  | { readonly segment: string }
  /** A member of the body, under another name. */
  | { readonly member: string }
  /** The whole body. */
  | 'body'
  /** The whole body, or one entry of a list, which the function reads and checks. */
  | { readonly body: (body: unknown) => unknown; readonly isEntry?: true }
  /** A parameter of the query, under another name. */
  | { readonly query: string }
  /** The member of the body with its name, else a header, else the empty text. */
  | { readonly memberOrHeader: string; readonly description: string }
  /** A fixed value of this path. */
  | { readonly value: unknown }
  /** REST does not have it: it keeps its default. */
  | 'default'
  /** Any other source. Parameters and the body are declared beside it. */
  | ((request: RestRequest) => unknown);

/** A body that is not a JSON object of the arguments. */
export type OwnBody =
  | { readonly kind: 'json'; readonly schema: Schema; readonly required: boolean }
  | { readonly kind: 'text'; readonly description: string }
  /** Text in one of the forms of certificates and requests, or JSON, or nothing. */
  | { readonly kind: 'any'; readonly description: string; readonly schema: Schema };

/**
 * The columns of a list as CSV: name -> the member of the entry that it shows, or a function that
 * makes its text. A dot leads into a nested value: `entities.0.name` is the name of the first entity.
 */
export type Columns = Readonly<Record<string, string | ((node: never) => string)>>;

/**
 * The conversion of the result to the `data` of the envelope. Default: an id, a truth value or the
 * entity that a mutation changed gives an empty answer; an entity that a query reads is shown as on
 * its own path; a page is a list; other objects show all their members.
 */
export type RestAnswer =
  | { readonly kind: 'empty' }
  /** The new entity, linked as `<collection>/<id>`, or as `self` where there is only one. */
  | { readonly kind: 'created'; readonly collection?: string; readonly self?: string }
  | {
      readonly kind: 'data';
      /** The selection of the document. Default: all members that are not entities. */
      readonly select?: string;
      /** Members that the body omits. */
      readonly without?: readonly string[];
      readonly view?: (result: never) => unknown;
      /** The schema of the body; a function derives it from the schema of the selection. */
      readonly schema?: Schema | ((selected: Schema) => Schema);
      /** Members that are resources, each shown as its own path shows it. */
      readonly entities?: readonly string[];
      /** Omits members that are null or an empty list; a null result becomes `{}`. */
      readonly omitsEmpty?: true;
    }
  | {
      /** A resource: the body that its own path shows. */
      readonly kind: 'entity';
      /** The title of a schema that differs from the resource's schema. */
      readonly title?: string;
      readonly with?: readonly string[];
      readonly without?: readonly string[];
      readonly links?: Readonly<Record<string, Link>>;
      readonly headers?: (node: never) => Record<string, string>;
      /** Sends the revision as `ETag`. */
      readonly hasETag?: true;
    }
  | {
      readonly kind: 'list';
      readonly select?: string;
      /** Members that the entries omit. */
      readonly without?: readonly string[];
      readonly view?: (node: never) => unknown;
      readonly schema?: Schema;
      /** The names that a filter may use. */
      readonly fields?: readonly string[];
      /** Lists with columns are also to be had as CSV and as JSON lines. */
      readonly columns?: Columns;
    }
  /** Text or JSON without envelope. */
  | {
      readonly kind: 'raw';
      readonly contentType: string;
      /** A second content type, for clients that accept only this one. */
      readonly alternative?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly select?: string;
      readonly view?: (result: never, contentType: string) => string | Buffer;
      readonly schema?: Schema;
    };

/** A variable of the selection of an answer. */
export interface SelectionArgument {
  readonly type: GraphQLInputType;
  readonly description: string;
  readonly default?: unknown;
}

export interface RestOperation {
  /** Default: management alone. */
  readonly on?: readonly Interface[];
  readonly method: Method;
  /** Below the base path, with `{argument}` segments. */
  readonly path: string;
  /** Default: the name of the field. */
  readonly operationId?: string;
  /** Default: the first segment of the path. */
  readonly tag?: string;
  /** Default: the description of the field. */
  readonly summary?: string;
  /** Default: that of the field. */
  readonly permission?: Permission;
  /** 403 instead of 401 for a caller without the permission. */
  readonly forbids?: true;
  /** Default: 201 where it answers with a created entity, else 200. */
  readonly status?: 200 | 201 | 202;
  /** Error statuses beside those of the permission, the path and the parameters. */
  readonly errors?: readonly number[];
  readonly arguments?: Readonly<Record<string, ArgumentSource>>;
  /** Variables that the selection of the answer uses, by their names in the query. */
  readonly selectionArguments?: Readonly<Record<string, SelectionArgument>>;
  /** Members that REST requires although the graph does not. */
  readonly needs?: readonly string[];
  /** Members with a wrong type count as not sent. */
  readonly isLenient?: true;
  readonly body?: OwnBody;
  /** Parameters that a function of `arguments` reads. */
  readonly parameters?: readonly Parameter[];
  /**
   * Accepts texts that can not be stored, such as one with NUL; other operations refuse them with
   * 400.
   */
  readonly anyText?: true;
  readonly answer?: RestAnswer;
  /**
   * The answer is public and the same for all callers, so that caches may store it. Caches store no
   * other answer.
   */
  readonly isPublic?: true;
}

/** Declares the REST operations of a query, a mutation or a member of a resource. */
export const Rest =
  (...operations: readonly RestOperation[]) =>
  (prototype: object, name: string): void => {
    Extensions({ rest: operations })(prototype, name, {});
  };

export const restOperationsOf = (
  field: Pick<GraphQLField<unknown, unknown>, 'extensions'>,
): readonly RestOperation[] =>
  (field.extensions.rest as readonly RestOperation[] | undefined) ?? [];

/** Values of `on`. */
export const BOTH: readonly Interface[] = ['client', 'management'];
export const CLIENT: readonly Interface[] = ['client'];
export const MANAGEMENT: readonly Interface[] = ['management'];
export const FABRIC: readonly Interface[] = ['fabric'];
export const OPERATORS: readonly Interface[] = ['management', 'fabric'];
