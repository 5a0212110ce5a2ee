import type { DirectoryScope } from '../../access/directories/index.js';
import type { JsonObject } from '../../base/row.js';

/** A request of the system that a directory belongs to. */
export interface DirectoryRequest {
  readonly scope: DirectoryScope;
  /** The id in the path. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  /** The address of the interface, without a slash at its end. */
  readonly base: string;
}

export interface DirectoryReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

export interface DirectoryRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the interface, with `{id}` segments. */
  readonly path: string;
  readonly serve: (request: DirectoryRequest) => Promise<DirectoryReply> | DirectoryReply;
}
