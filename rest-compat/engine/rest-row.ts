import type { Permission } from '../../src/kernel/declare/permissions.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import type { Verb } from '../../src/kernel/declare/verbs.js';
import type { JsonObject } from '../../src/base/row.js';
import type { Schema } from '../../src/kernel/declare/rest-schema.js';
import type {
  Interface,
  Method,
  OwnBody,
  Parameter,
  RestRequest,
} from '../../src/kernel/graph/rest-operation.js';

export type {
  Interface,
  Method,
  Parameter,
  RestRequest,
} from '../../src/kernel/graph/rest-operation.js';
export type { Schema } from '../../src/kernel/declare/rest-schema.js';

/** The use of the body by a row. */
export type Body =
  /** Attributes of a resource; null members of a PATCH count as not sent, unknown ones are dropped. */
  | { readonly kind: 'input'; readonly resource: Resource; readonly verb: Exclude<Verb, 'delete'> }
  | OwnBody;

export interface Column {
  readonly name: string;
  readonly text: (node: never) => string;
  /** The column exists only if this selection argument is true. */
  readonly onlyWith: string | undefined;
}

/** The conversion of the graph's answer to the `data` of the envelope. */
export type Answer =
  | {
      readonly kind: 'data';
      readonly view: (result: never) => unknown;
      readonly schema: Schema;
      readonly headers?: (result: never) => Record<string, string>;
    }
  | {
      readonly kind: 'list';
      /** The listed resource; other lists name the fields that a filter may use. */
      readonly resource?: Resource;
      readonly fields?: readonly string[];
      /** Gives the connection in the result; null when the parent is missing. */
      readonly page: (result: never) => Connection | null;
      readonly view: (node: never) => unknown;
      readonly schema: Schema;
      /** The columns of the list as CSV; with them it is also to be had as JSON lines. */
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
      /** A second content type, for clients that accept only this one. */
      readonly alternative?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly view: (result: never, contentType: string) => string | Buffer;
      readonly schema?: Schema;
    };

export interface Connection {
  readonly nodes: readonly never[];
  readonly pagination: {
    readonly limit: number | null;
    readonly offset: number;
    readonly totalCount: number;
  };
}

/** The names in a request of the variables of its document; the empty text is the whole body. */
export type FieldNames = Readonly<Record<string, string>>;

/** An operation of the REST interfaces, as data. It runs an operation of the graph. */
export interface RestRow {
  readonly on: readonly Interface[];
  readonly method: Method;
  /** Below the base path, with `{id}` segments. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly permission: Permission;
  /** 403 instead of 401 for a caller without the permission. */
  readonly forbids?: boolean;
  /** A GraphQL operation whose one root field is aliased `result`. */
  readonly document: string;
  readonly variables: (request: RestRequest) => JsonObject;
  /** Default: those of the variables, and `input` is the whole body. */
  readonly fieldNames?: FieldNames;
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  /** Accepts texts that can not be stored, which other operations refuse with 400. */
  readonly anyText?: boolean;
  readonly status: 200 | 201 | 202;
  /** The list is empty when its parent, the root of the answer, is missing. */
  readonly emptyWithoutParent?: true;
  /** Error statuses beside 405, 406, 413, 415, 429, 500 and 503, which any row may give. */
  readonly errors: readonly number[];
  readonly answer: Answer;
  /**
   * The answer is public and the same for all callers, so that caches may store it. Caches store no
   * other answer.
   */
  readonly isPublic?: true;
}
