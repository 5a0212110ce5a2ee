import type { RequestScope } from './request-scope.js';

/** The caller of a request. Absent on a request without a valid session. */
export interface Caller {
  readonly identityId: string;
  readonly apiSessionId: string;
  /** When the API session was opened. */
  readonly since: Date;
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
  /** Config types requested at login: ids, or `all`. */
  readonly configTypes: readonly string[];
  /** The authenticator of its login; `extJwtId:<signer>` for a JWT. */
  readonly authenticatorId: string;
  /** Open authentication queries, such as MFA; while there are any, few operations are allowed. */
  readonly authQueries: readonly AuthQuery[];
  /** The `WWW-Authenticate` value that asks for a missing JWT. */
  readonly challenge?: string;
  /** The access token of the request, in place of the token of the session. */
  readonly accessToken?: AccessToken;
}

/** A signed token that stands for an API session until it expires. */
export interface AccessToken {
  readonly id: string;
  readonly text: string;
  readonly expiresAt: Date;
  /** The OAuth client that it was issued to. */
  readonly clientId: string;
}

/** A further authentication step of a client, with the members of the REST interfaces. */
export interface AuthQuery {
  readonly typeId: 'MFA' | 'EXT-JWT';
  readonly provider: 'ziti' | 'url';
  readonly httpUrl: string;
  readonly httpMethod?: string;
  readonly format?: 'numeric';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly isTotpEnrolled?: boolean;
  readonly id?: string;
  readonly clientId?: string;
  readonly scopes?: readonly string[];
}

/** Credentials from the connection and the headers, beside the session. */
export interface Credentials {
  /** Bearer tokens that are not session tokens, at most three. */
  readonly bearers: readonly string[];
  /** The certificate chain of the client as DER, its own certificate first. */
  readonly clientChain: () => readonly Buffer[];
  /** Why an access token of ours does not count. */
  readonly refusedToken?: 'invalid' | 'expired';
}

export const NO_CREDENTIALS: Credentials = { bearers: [], clientChain: () => [] };

/**
 * The modules that resources and operations use. Each layer declares the members that it uses:
 * `kernel/declare/totals.ts`, `resources/modules.ts` and `graph/modules.ts`. The controller wires
 * them (`controller/assembly.ts`).
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- members come by declaration merging
export interface Modules {}

/** For code without a running controller: the use of any module throws. */
export const NO_MODULES = new Proxy<object>(
  {},
  {
    get(_, name) {
      throw new Error(`module ${String(name)} is not wired`);
    },
  },
) as Modules;

/** The same with some modules. */
export const withOnly = (modules: Partial<Modules>): Modules =>
  Object.assign(Object.create(NO_MODULES) as Modules, modules);

/**
 * The state of an unlimited list that is read in slices: the same document runs again while `after`
 * is set. Only a document that reads a single list can be read in slices.
 */
export interface Slices {
  /** The cursor before the next slice; undefined before the first and after the last. */
  after: string | undefined;
}

/** Functions that release what a request holds besides memory, such as a database connection. */
export class Holdings {
  #releases: (() => void)[] = [];

  add(release: () => void): void {
    this.#releases.push(release);
  }

  release(): void {
    if (this.#releases.length === 0) return;
    for (const release of this.#releases.splice(0)) release();
  }
}

/**
 * The context of one request. It gives the time, so that tests can set it. Some files add their own
 * members: `catalog` (`declare/catalog.ts`), `store` (`store-port.ts`), `reader`
 * (`read/reader.ts`).
 */
export interface RequestContext {
  readonly requestId: string;
  /** Remote address without port. */
  readonly address: string;
  readonly caller: Caller | undefined;
  readonly credentials: Credentials;
  readonly modules: Modules;
  readonly now: () => Date;
  /** The time limit of the request, which bounds `store`; absent for work of the controller. */
  readonly scope?: RequestScope;
  /** Released after the document has run, or after the last slice of a list. */
  readonly holdings: Holdings;
  /** Set if unlimited lists are read in slices instead of at once. */
  readonly slices?: Slices;
  /**
   * The row limit of an unlimited list that is read at once: the event loop serves no other request
   * meanwhile.
   */
  readonly mostRows?: number;
  /** The reason to violate access rules; only administrators may give one. */
  readonly reason?: string;
  /** The id of a running import, written to all its change records. */
  readonly importId?: string;
}
