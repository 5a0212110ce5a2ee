import type { Permission } from '../../src/kernel/declare/permissions.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import type { Verb } from '../../src/kernel/declare/verbs.js';
import type { JsonObject } from '../../src/base/row.js';

export type Interface = 'client' | 'management';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A JSON schema as OpenAPI 3.0 knows it. */
export type Schema = Readonly<JsonObject>;

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

/** What a row does with the body. */
export type Body =
  /** Attributes of a resource; null members of a PATCH count as not sent, unknown ones are dropped. */
  | { readonly kind: 'input'; readonly resource: Resource; readonly verb: Exclude<Verb, 'delete'> }
  /** JSON that the row reads itself. */
  | { readonly kind: 'json'; readonly schema: Schema; readonly required: boolean }
  | { readonly kind: 'text'; readonly description: string }
  /** Text in one of the forms of certificates and requests, or JSON, or nothing. */
  | { readonly kind: 'any'; readonly description: string; readonly schema: Schema };

/** How the answer of the graph becomes the `data` of the envelope. */
export type Answer =
  | {
      readonly kind: 'data';
      readonly view: (result: never) => unknown;
      readonly schema: Schema;
      readonly headers?: (result: never) => Record<string, string>;
    }
  | {
      readonly kind: 'list';
      /** What is listed; or the names that a filter may use, of lists that are no resource's. */
      readonly resource?: Resource;
      readonly fields?: readonly string[];
      /** Where the connection lies in the result; `empty` when the parent is missing. */
      readonly page: (result: never) => Connection | null;
      readonly view: (node: never) => unknown;
      readonly schema: Schema;
      /** Makes all of it to be had as CSV and as JSON lines too: name and value of each column. */
      readonly columns?: readonly Column[];
    }
  | {
      readonly kind: 'created';
      /** The new entity is linked as `<collection>/<id>`, or as `self` where there is only one. */
      readonly collection?: string;
      readonly self?: string;
      readonly id: (result: never) => string;
    }
  | { readonly kind: 'empty' }
  /** Text or JSON without envelope. */
  | {
      readonly kind: 'raw';
      readonly contentType: string;
      /** Another content type, for those who accept it and not the first. */
      readonly alternative?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly view: (result: never, contentType: string) => string | Buffer;
    };

export type Column = readonly [name: string, value: (node: never) => string];

export interface Connection {
  readonly nodes: readonly never[];
  readonly pagination: {
    readonly limit: number | null;
    readonly offset: number;
    readonly totalCount: number;
  };
}

/** One operation of the REST interfaces, as data. Everything it does is an operation of the graph. */
export interface RestRow {
  readonly on: readonly Interface[];
  readonly method: Method;
  /** Below the base path, with `{id}` segments. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly permission: Permission;
  /** 403 instead of 401 for a caller who lacks the permission, as the requirements say of some. */
  readonly forbids?: boolean;
  /** A GraphQL operation whose one root field is aliased `result`. */
  readonly document: string;
  readonly variables: (request: RestRequest) => JsonObject;
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  /** Its operation judges texts that can not be stored, which are refused with 400 elsewhere. */
  readonly anyText?: boolean;
  readonly status: 200 | 201 | 202;
  /** A list that is empty when the entity that it hangs on, the root of the answer, is missing. */
  readonly emptyWithoutParent?: true;
  /** Beside 405, 406, 413, 415, 429, 500 and 503, which any row may give. */
  readonly errors: readonly number[];
  readonly answer: Answer;
  /** The same for everybody and no secret, so that caches may keep it; nothing else is kept. */
  readonly isPublic?: true;
}

export const BASE_PATHS: Readonly<Record<Interface, string>> = {
  client: '/edge/client/v1',
  management: '/edge/management/v1',
};
