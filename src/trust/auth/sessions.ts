import { randomUUID } from 'node:crypto';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Caller } from '../../kernel/request/context.js';
import { failure } from '../../base/errors.js';
import { newSortableId } from '../../base/ids.js';
import type { Sql } from '../../base/sql.js';
import type { Change, Origin, Store, Transaction } from '../../kernel/request/store-port.js';
import { apiSessions, signerOf, type LoggedInSession } from '../../data/rows/api-session/index.js';
import { certificateAuthorities } from '../../data/rows/certificate-authority/index.js';
import { identities } from '../../data/rows/identity/index.js';
import { externalJwtSigners } from '../../data/rows/external-jwt-signer/index.js';
import { deleteIn, insertIn } from '../../kernel/write/write.js';
import { concernedBy } from '../../kernel/declare/decisions.js';
import type { AuthPolicySecondary } from './rules/index.js';
import { askedFactors, type SecondFactors } from './second-factors.js';
import { vouchesFor, type Vouching } from './signers.js';
import { merged } from '../../base/merged.js';

/**
 * A live API session with the facts for requests. It is the caller of a request if its factors ask
 * nothing more; what they ask depends on the request, so `authQueries` is empty.
 */
export interface LiveSession extends Caller {
  readonly token: string;
  readonly factors: SecondFactors;
  /** Milliseconds; every request updates it. */
  lastActivityAt: number;
}

interface SessionOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

/** The result for the tokens that a router reported. */
export interface TouchedSessions {
  readonly identityIds: readonly string[];
  readonly unknown: readonly string[];
}

export interface NewSession {
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly ipAddress: string;
  readonly configTypes: readonly string[];
  readonly isCertExtendable: boolean;
  readonly improperClientCertChain: boolean;
  /** The client's information about itself. */
  readonly sdkInfo?: object;
  /** Id of the third-party authority of the client certificate. */
  readonly caId?: string;
  /** Of the client certificate of the login; routers accept it with the session. */
  readonly certificateFingerprint?: string;
  /** Required proofs that were missing at the login. */
  readonly unproved?: Partial<AuthPolicySecondary>;
}

/**
 * Factor of the timeout after which a session is deleted: by then all controllers have flushed
 * activity.
 */
const GRACE = 1.1;
/** Accepted difference between the clocks of controllers. */
const SKEW_MILLIS = 60_000;
/** A clock is never set back further: later times are set on purpose. */
const STEP_MILLIS = 365 * 86_400_000;
const EXPIRY_BATCH = 500;
const FLUSH_BATCH = 5_000;

/** The authenticator ids of sessions without an authenticator. */
const NO_AUTHENTICATOR = /^(?:internal$|extJwtId:)/;

const UNLIMITED: Vouching = { trustedForManagement: true };

/** Limit of cached sessions. Only existing sessions are cached, so invented tokens need no memory. */
const MAX_CACHED = 200_000;

/**
 * API sessions by token. Live sessions are cached, so that only the first request needs a
 * statement. A change of a session or its identity removes it from the cache.
 */
export class ApiSessions {
  readonly #byToken = new Map<string, LiveSession>();
  readonly #loading = new Map<string, Promise<LiveSession | undefined>>();
  /** Activity that is not stored yet: milliseconds by session id. */
  readonly #activity = new Map<string, number>();
  /**
   * Incremented by every change that can invalidate sessions, so that the result of a running read
   * is not cached.
   */
  #generation = 0;

  constructor(private readonly options: SessionOptions) {
    options.store.onChange((changes) => {
      this.forget(changes);
    });
  }

  get timeoutSeconds(): number {
    return Math.floor(this.options.timeoutMs / 1000);
  }

  /** The session of a token, if it is in memory and lives; every call counts as activity. */
  remembered(token: string): LiveSession | undefined {
    const session = this.#byToken.get(token);
    if (!session || this.isOver(session)) return undefined;
    this.recordActivity(session);
    return session;
  }

  /** The session of a token while it lives; every call counts as activity. */
  async find(token: string): Promise<LiveSession | undefined> {
    const remembered = this.remembered(token);
    if (remembered) return remembered;
    // A session that seems expired may have activity at another controller.
    const session = await this.load(token);
    if (!session || this.isOver(session)) {
      this.#byToken.delete(token);
      return undefined;
    }
    this.recordActivity(session);
    return session;
  }

  /**
   * Records activity of sessions whose clients are connected to a router. Gives their identities,
   * and the tokens without a live session.
   */
  async touch(tokens: readonly string[]): Promise<TouchedSessions> {
    const identityIds = new Set<string>();
    const unknown = new Set(tokens);
    const addLive = ({ token, identityId }: { token: string; identityId: string }): void => {
      identityIds.add(identityId);
      unknown.delete(token);
    };
    for (const token of tokens) {
      const cached = this.#byToken.get(token);
      if (!cached || this.isOver(cached)) continue;
      this.recordActivity(cached);
      addLive(cached);
    }
    for (const session of unknown.size === 0 ? [] : await this.stored([...unknown])) {
      if (this.isOver(session)) continue;
      this.#activity.set(session.apiSessionId, this.options.now().getTime());
      addLive(session);
    }
    return { identityIds: [...identityIds], unknown: [...unknown] };
  }

  private recordActivity(session: LiveSession): void {
    const now = this.options.now().getTime();
    if (now === session.lastActivityAt) return;
    session.lastActivityAt = now;
    this.#activity.set(session.apiSessionId, now);
  }

  /** Reads the stored sessions of enabled identities, with their activity. */
  private async stored(
    tokens: readonly string[],
  ): Promise<Pick<LiveSession, 'token' | 'apiSessionId' | 'identityId' | 'lastActivityAt'>[]> {
    const rows = await apiSessions.activityOf(this.options.store, tokens, this.options.now());
    return rows.map((row) => ({
      token: row.token,
      apiSessionId: row.id,
      identityId: row.identityId,
      lastActivityAt: Math.max(row.lastActivityAt.getTime(), this.#activity.get(row.id) ?? 0),
    }));
  }

  private isOver({ lastActivityAt }: Pick<LiveSession, 'lastActivityAt'>): boolean {
    return this.options.now().getTime() - lastActivityAt > this.options.timeoutMs;
  }

  /**
   * Opens a session. Refuses if the identity was disabled, or the identity or its authenticator was
   * deleted, or its signer or authority stopped vouching for it, after the login was checked.
   * @throws ApiError INVALID_AUTH
   */
  async create(store: Store, origin: Origin, session: NewSession): Promise<string> {
    const id = newSortableId(origin.at);
    const { identityId } = session;
    await store.write(origin, async (tx) => {
      const [identity, vouchings] = await Promise.all([
        identities.holdEnabled(tx, identityId, origin.at),
        this.holdProof(tx, session),
      ]);
      if (!identity || !vouchings.every((each) => vouchesFor(each, identity))) {
        throw failure('INVALID_AUTH');
      }
      const { ApiSession } = this.options.catalog.resources;
      const begin = {
        id,
        token: randomUUID(),
        configTypes: [...session.configTypes],
        isMfaRequired: identity.isMfaEnabled,
        lastActivityAt: origin.at,
      };
      await insertIn(tx, ApiSession, merged(session, begin));
    });
    return id;
  }

  /**
   * Locks the authenticator, the signer and the authority of the login until the commit; refuses if
   * one is deleted or disabled. Gives those that vouch for the identity.
   */
  private async holdProof(
    tx: Transaction,
    { authenticatorId, caId }: NewSession,
  ): Promise<readonly Vouching[]> {
    const signerId = signerOf(authenticatorId);
    const signer = signerId === '' ? UNLIMITED : await externalJwtSigners.holdEnabled(tx, signerId);
    const authority =
      caId === undefined ? UNLIMITED : await certificateAuthorities.holdForLogin(tx, caId);
    if (!signer || !authority) throw failure('INVALID_AUTH');
    if (NO_AUTHENTICATOR.test(authenticatorId)) return [signer, authority];
    const { Authenticator } = this.options.catalog.resources;
    const [lockedId] = await tx.hold(Authenticator, [authenticatorId]);
    if (lockedId === undefined) throw failure('INVALID_AUTH');
    // An administrator has given the identity this very certificate or password.
    return [];
  }

  /** The last activity of a session, stored or at this controller. */
  lastActivity(stored: Date, id: string): Date {
    return new Date(Math.max(stored.getTime(), this.#activity.get(id) ?? 0));
  }

  /** The time when a session ends without another request. */
  expiryOf(stored: Date, id: string): Date {
    return new Date(this.lastActivity(stored, id).getTime() + this.options.timeoutMs);
  }

  /**
   * The same in SQL, for a row of the table `api_session`, with the activity that is not stored
   * yet.
   */
  expirySql(alias: string): Sql {
    return apiSessions.endSql(alias, this.options.timeoutMs, this.#activity);
  }

  /** Logs out: deletes the session with its service sessions. */
  async end(ctx: Parameters<typeof deleteIn>[0], origin: Origin, id: string): Promise<void> {
    const sessions = this.options.catalog.resources.ApiSession;
    await ctx.store.write(origin, async (tx) => {
      await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id }));
    });
  }

  /** Deletes sessions without activity for longer than the timeout, a batch at a time. */
  async expire(ctx: Parameters<typeof deleteIn>[0], origin: Origin): Promise<void> {
    await this.limitFuture(origin.at);
    const sessions = this.options.catalog.resources.ApiSession;
    const before = new Date(origin.at.getTime() - this.options.timeoutMs * GRACE);
    for (let deletedCount = EXPIRY_BATCH; deletedCount === EXPIRY_BATCH;) {
      deletedCount = await this.options.store.write(origin, async (tx) => {
        const ids = await apiSessions.lockInactive(tx, before, EXPIRY_BATCH);
        await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id: ids }));
        return ids.length;
      });
    }
  }

  /**
   * Limits activity in the future, so that sessions do not live longer after the clock was set
   * back.
   */
  private async limitFuture(now: Date): Promise<void> {
    const ahead = (millis: number): Date => new Date(now.getTime() + millis);
    const future = { from: ahead(SKEW_MILLIS), to: ahead(STEP_MILLIS) };
    await apiSessions.limitFutureActivity(this.options.store, now, future);
  }

  /** Stores new activity in batches. */
  async flush(): Promise<void> {
    const unstored = [...this.#activity];
    for (let from = 0; from < unstored.length; from += FLUSH_BATCH) {
      const batch = unstored.slice(from, from + FLUSH_BATCH);
      await apiSessions.storeActivity(this.options.store, batch);
      for (const [id, at] of batch) {
        if (this.#activity.get(id) === at) this.#activity.delete(id);
      }
    }
  }

  private async load(token: string): Promise<LiveSession | undefined> {
    const pending = this.#loading.get(token);
    if (pending) return pending;
    // Several requests may share the read.
    const loading = this.read(token).finally(() => {
      if (this.#loading.get(token) === loading) this.#loading.delete(token);
    });
    this.#loading.set(token, loading);
    return loading;
  }

  private async read(token: string): Promise<LiveSession | undefined> {
    const generation = this.#generation;
    const row = await apiSessions.find(this.options.store, token, this.options.now());
    if (!row) return undefined;
    const session = sessionOf(row);
    const unstored = this.#activity.get(session.apiSessionId) ?? 0;
    session.lastActivityAt = Math.max(unstored, session.lastActivityAt);
    if (generation === this.#generation && this.#byToken.size < MAX_CACHED) {
      this.#byToken.set(token, session);
    }
    return session;
  }

  private forget(changes: readonly Change[]): void {
    const concerns = concernedBy(this.options.catalog, changes);
    if (!concerns) return;
    this.#generation += 1;
    // Running reads may have begun before the change.
    this.#loading.clear();
    for (const [token, session] of this.#byToken) {
      if (concerns(session)) this.#byToken.delete(token);
    }
  }
}

const sessionOf = (row: LoggedInSession): LiveSession => ({
  token: row.token,
  apiSessionId: row.id,
  since: row.createdAt,
  identityId: row.identityId,
  authenticatorId: row.authenticatorId,
  authQueries: [],
  factors: {
    isMfaRequired: row.isMfaRequired,
    isMfaComplete: row.isMfaComplete,
    isMfaEnabled: row.isMfaEnabled,
    ...askedFactors(row.secondary, row.unproved),
  },
  isAdmin: row.isAdmin,
  permissions: row.permissions,
  configTypes: row.configTypes,
  lastActivityAt: row.lastActivityAt.getTime(),
});
