/** Who asks. Absent on a request without a valid session. */
export interface Caller {
  readonly identityId: string;
  readonly apiSessionId: string;
  /** When the API session was opened. */
  readonly since: Date;
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
  /** Config types asked for at login: ids, or `all`. */
  readonly configTypes: readonly string[];
  /** What it logged in with; `extJwtId:<signer>` for a JWT. */
  readonly authenticatorId: string;
  /** What is still to be proved; until then hardly any operation is allowed. */
  readonly authQueries: readonly AuthQuery[];
  /** Asks for the JWT that is still to be proved, as `WWW-Authenticate` has it. */
  readonly challenge?: string;
}

/** A further proof that clients are asked for, in the words of the REST interfaces. */
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

/** What came with the connection and the headers, beside the session. */
export interface Credentials {
  /** Bearer tokens that are no session of ours, at most three. */
  readonly bearers: readonly string[];
  /** Certificates that the client presented, as DER, its own first. */
  readonly clientChain: () => readonly Buffer[];
}

export const NO_CREDENTIALS: Credentials = { bearers: [], clientChain: () => [] };

/**
 * The modules that resources and operations work with. Each layer declares those that it uses as
 * members: `kernel/declare/totals.ts`, `resources/modules.ts` and `graph/modules.ts`. The controller wires
 * them (`controller/assembly.ts`).
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- members come by declaration merging
export interface Modules {}

/** For work without a running controller: the use of any module is a fault of the program. */
export const NO_MODULES = new Proxy<object>(
  {},
  {
    get(_, name) {
      throw new Error(`module ${String(name)} is not wired`);
    },
  },
) as Modules;

/**
 * Reading of an unlimited list piece by piece: the same document is run again while `after` is set.
 * A document that reads one list alone can be read so.
 */
export interface Slices {
  /** Where the next piece begins; undefined before the first and after the last. */
  after: string | undefined;
}

/** What work holds besides memory, and has to give back. */
export class Holdings {
  #ends: (() => void)[] = [];

  add(end: () => void): void {
    this.#ends.push(end);
  }

  release(): void {
    if (this.#ends.length === 0) return;
    for (const end of this.#ends.splice(0)) end();
  }
}

/**
 * Everything one request works with. Time comes from here, so that tests set it. What itself names the context
 * declares its member: `catalog` (`declare/catalog.ts`), `store` (`store-port.ts`), `reader` (`read/reader.ts`).
 */
export interface RequestContext {
  readonly requestId: string;
  /** Remote address without port. */
  readonly address: string;
  readonly caller: Caller | undefined;
  readonly credentials: Credentials;
  readonly modules: Modules;
  readonly now: () => Date;
  /** Released when the document was run, or after the last slice of a list. */
  readonly holdings: Holdings;
  /** Set where unlimited lists are to be read in slices instead of at once. */
  readonly slices?: Slices;
  /** The most rows of an unlimited list that is read at once, which nobody else is served during. */
  readonly mostRows?: number;
  /** Why access rules may be violated; administrators alone may say so. */
  readonly reason?: string;
  /** Set while an import runs: ties its change records together. */
  readonly importId?: string;
}
