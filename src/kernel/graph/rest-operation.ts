import type { GraphQLField, GraphQLInputType } from 'graphql';
import { Extensions } from 'type-graphql';
import type { Permission } from '../declare/permissions.js';
import type { Link } from '../declare/rest.js';
import type { Schema } from '../declare/rest-schema.js';

/*
 * Where a field of the graph stands on the REST interfaces, declared with the field. The document
 * that asks the graph, its variables, the check of the body and the OpenAPI description follow from
 * the field: its arguments, its type, its description and its permission.
 */

export type Interface = 'client' | 'management';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly description: string;
  readonly schema: Schema;
  readonly required?: boolean;
}

/** A request after the transport was dealt with. */
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
 * Where the value of an argument comes from. An argument that is not mentioned comes from the segment
 * of the path with its name, else from the query of a GET, else from the body.
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
  /** The path says it. */
  | { readonly value: unknown }
  /** REST has it not: it keeps its default. */
  | 'default'
  /** What no rule says. Parameters and the body are declared beside it. */
  | ((request: RestRequest) => unknown);

/** Bodies that are no JSON object of the arguments. */
export type OwnBody =
  | { readonly kind: 'json'; readonly schema: Schema; readonly required: boolean }
  | { readonly kind: 'text'; readonly description: string }
  /** Text in one of the forms of certificates and requests, or JSON, or nothing. */
  | { readonly kind: 'any'; readonly description: string; readonly schema: Schema };

export type Column = readonly [name: string, value: (node: never) => string];

/**
 * How the result becomes the `data` of the envelope. Default: an id or a truth value, and the entity
 * that a mutation changed, show nothing; a query shows the entity as its own path does; a page is a
 * list; other objects show all their members.
 */
export type RestAnswer =
  | { readonly kind: 'empty' }
  /** The new entity, linked as `<collection>/<id>`, or as `self` where there is only one. */
  | { readonly kind: 'created'; readonly collection?: string; readonly self?: string }
  | {
      readonly kind: 'data';
      /** What the document selects; default: all members that are no entities. */
      readonly select?: string;
      readonly view?: (result: never) => unknown;
      /** Of the body; a function makes it of the schema of what is selected. */
      readonly schema?: Schema | ((selected: Schema) => Schema);
      /** Members that are resources, each shown as its own path shows it. */
      readonly entities?: readonly string[];
      /** Members that are null or an empty list are left out; no result is the empty object. */
      readonly omitsEmpty?: true;
    }
  | {
      /** A resource: the body that its own path shows. */
      readonly kind: 'entity';
      /** Of a body that differs from that of the resource. */
      readonly title?: string;
      readonly with?: readonly string[];
      readonly without?: readonly string[];
      readonly links?: Readonly<Record<string, Link>>;
      readonly headers?: (node: never) => Record<string, string>;
      /** Tells its revision. */
      readonly hasETag?: true;
    }
  | {
      readonly kind: 'list';
      readonly select?: string;
      readonly view?: (node: never) => unknown;
      readonly schema?: Schema;
      /** The names that a filter may use. */
      readonly fields?: readonly string[];
      /** Makes all of it to be had as CSV and as JSON lines too: name and value of each column. */
      readonly columns?: readonly Column[];
    }
  /** Text or JSON without envelope. */
  | {
      readonly kind: 'raw';
      readonly contentType: string;
      /** Another content type, for those who accept it and not the first. */
      readonly alternative?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly select?: string;
      readonly view?: (result: never, contentType: string) => string | Buffer;
    };

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
  /** 403 instead of 401 for a caller who lacks the permission. */
  readonly forbids?: true;
  /** Default: 201 where it answers with a created entity, else 200. */
  readonly status?: 200 | 201 | 202;
  /** Refusals that do not follow from the permission, the path and the parameters. */
  readonly errors?: readonly number[];
  readonly arguments?: Readonly<Record<string, ArgumentSource>>;
  /** Variables that the selection of the answer uses, by their names in the query. */
  readonly selectionArguments?: Readonly<
    Record<string, { readonly type: GraphQLInputType; readonly description: string }>
  >;
  /** Members that have to be there though the graph can do without. */
  readonly needs?: readonly string[];
  /** Members of another type than theirs count as not sent. */
  readonly isLenient?: true;
  readonly body?: OwnBody;
  /** Parameters that a function of `arguments` reads. */
  readonly parameters?: readonly Parameter[];
  /** It judges texts that can not be stored, which are refused with 400 elsewhere. */
  readonly anyText?: true;
  readonly answer?: RestAnswer;
  /** The same for everybody and no secret, so that caches may keep it; nothing else is kept. */
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

/** For `on`. */
export const BOTH: readonly Interface[] = ['client', 'management'];
export const CLIENT: readonly Interface[] = ['client'];
export const MANAGEMENT: readonly Interface[] = ['management'];
