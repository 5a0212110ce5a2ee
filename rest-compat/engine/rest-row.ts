import type { Permission } from '../../src/kernel/declare/permissions.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import type { Verb } from '../../src/kernel/declare/verbs.js';
import type { JsonObject } from '../../src/base/row.js';
import type { Schema } from '../../src/kernel/declare/rest-schema.js';
import type {
  Column,
  Interface,
  Method,
  OwnBody,
  Parameter,
  RestRequest,
} from '../../src/kernel/graph/rest-operation.js';

export type {
  Column,
  Interface,
  Method,
  Parameter,
  RestRequest,
} from '../../src/kernel/graph/rest-operation.js';
export type { Schema } from '../../src/kernel/declare/rest-schema.js';

/** What a row does with the body. */
export type Body =
  /** Attributes of a resource; null members of a PATCH count as not sent, unknown ones are dropped. */
  | { readonly kind: 'input'; readonly resource: Resource; readonly verb: Exclude<Verb, 'delete'> }
  | OwnBody;

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
