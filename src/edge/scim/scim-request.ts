import type { DirectoryScope } from '../../access/directories/index.js';
import type { JsonObject } from '../../base/row.js';
import type { ScimReply } from './scim-reply.js';

/** A request of the provider of a directory. */
export interface ScimRequest {
  readonly scope: DirectoryScope;
  /** The id in the path. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  /** The address of the interface, without a slash at its end. */
  readonly base: string;
}

export interface ScimRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the interface, with `{id}` segments. */
  readonly path: string;
  readonly serve: (request: ScimRequest) => Promise<ScimReply> | ScimReply;
}
