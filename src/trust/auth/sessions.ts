import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Caller } from '../../kernel/request/context.js';
import { failure } from '../../base/errors.js';
import { newSortableId } from '../../base/ids.js';
import type { Sql } from '../../base/sql.js';
import type { Change, Origin, Store, Transaction } from '../../kernel/request/store-port.js';
import {
  apiSessions,
  signerOf,
  type LoggedInSession,
  type SessionKey,
  type SessionLife,
} from '../../data/rows/api-session/index.js';
import { certificateAuthorities } from '../../data/rows/certificate-authority/index.js';
import { loginAuthenticators } from '../../data/rows/authenticator/index.js';
import { identities, type HeldIdentity } from '../../data/rows/identity/index.js';
import { externalJwtSigners } from '../../data/rows/external-jwt-signer/index.js';
import { deleteIn, insertIn } from '../../kernel/write/write.js';
import { concernedBy } from '../../kernel/declare/decisions.js';
import type { GrantedRights } from './granted-rights.js';
import { hasRights, type AuthPolicySecondary } from './rules/index.js';
import { SKEW_MILLIS } from './clock-skew.js';
import { LiveSessions } from './live-sessions.js';
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
  /** The OAuth client that opened it; null for other logins. */
  readonly oidcClient: string | null;
  /** Milliseconds; every request updates it. */
  lastActivityAt: number;
}

interface SessionOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  /** The time without a request after which a session ends. */
  readonly timeoutMs: number;
  /** The same for sessions over OpenID Connect, which live as long as their refresh tokens. */
  readonly oidcTimeoutMs: number;
  readonly now: () => Date;
}

/** The result for the sessions that a router reported. */
export interface TouchedSessions {
  readonly identityIds: readonly string[];
  readonly unknown: readonly string[];
}

type StoredActivity = Pick<
  LiveSession,
  'apiSessionId' | 'identityId' | 'oidcClient' | 'lastActivityAt'
> & { readonly name: string };

export interface NewSession {
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly ipAddress: string;
  readonly configTypes: readonly string[];
  readonly isCertExtendable: boolean;
  readonly improperClientCertChain: boolean;
  /** The client's information about itself. */
  readonly sdkInfo?: object;
  /** The OAuth client of a login over OpenID Connect. */
  readonly oidcClient?: string;
  /** Id of the third-party authority of the client certificate. */
  readonly caId?: string;
  /** Of the client certificate of the login; routers accept it with the session. */
  readonly certificateFingerprint?: string;
  /** The rights that the JWT of the login gives the session. */
  readonly granted?: GrantedRights;
  /** Required proofs that were missing at the login. */
  readonly unproved?: Partial<AuthPolicySecondary>;
}

/** A session as it was opened. */
export interface OpenedSession {
  readonly id: string;
  readonly isMfaEnabled: boolean;
  /** What the client of the identity said of itself before. */
  readonly clientInfo: Pick<HeldIdentity, 'envInfo' | 'sdkInfo'>;
  /** When the identity was last in use, if a first login created it. */
  readonly lastUsedAt: Date | null;
}

/**
 * Factor of the timeout after which a session is deleted: by then all controllers have flushed
 * activity.
 */
export const ACTIVITY_GRACE = 1.1;
/** A clock is never set back further: later times are set on purpose. */
const STEP_MILLIS = 365 * 86_400_000;
const EXPIRY_BATCH = 500;
const FLUSH_BATCH = 5_000;

/** The authenticator ids of sessions without an authenticator. */
const NO_AUTHENTICATOR = /^(?:internal$|extJwtId:)/;

const NO_GRANTS: GrantedRights = { isAdmin: false, permissions: [], rules: [] };

type GrantingSigner = Vouching & { readonly adminClaims: GrantedRights['rules'] };

const UNLIMITED: GrantingSigner = { trustedForManagement: true, adminClaims: [] };

/** Whether a signer gives the rights of a login by the same rules as when its JWT was read. */
const stillGrants = (signer: GrantingSigner, granted: GrantedRights): boolean =>
  !hasRights(granted) ||
  (vouchesFor(signer, granted) && isDeepStrictEqual(signer.adminClaims, granted.rules));

/** API sessions by their tokens, and by their ids for access tokens. */
export class ApiSessions {
  readonly #byToken = new LiveSessions((token) => this.read({ token }));
  readonly #byId = new LiveSessions((id) => this.read({ id }));
  /** Activity that is not stored yet: milliseconds by session id. */
  readonly #activity = new Map<string, number>();

  constructor(private readonly options: SessionOptions) {
    options.store.onChange((changes) => {
      this.forget(changes);
    });
  }

  /** Seconds after which the session of a request ends without another one. */
  secondsLeft(caller: Pick<Caller, 'accessToken'> | undefined): number {
    const expiresAt = caller?.accessToken?.expiresAt;
    const millis = expiresAt ? +expiresAt - +this.options.now() : this.options.timeoutMs;
    return Math.floor(millis / 1000);
  }

  /** When the session of a request ends without another one. */
  endOf({ apiSessionId, accessToken }: Pick<Caller, 'apiSessionId' | 'accessToken'>): Date {
    if (accessToken) return accessToken.expiresAt;
    const lastActivityAt = this.options.now();
    return this.expiryOf({ id: apiSessionId, lastActivityAt, oidcClient: null });
  }

  /** The session of a token, if it is in memory and lives; every call counts as activity. */
  remembered(token: string): LiveSession | undefined {
    return this.rememberedIn(this.#byToken, token);
  }

  /** The same for the id in an access token. */
  rememberedById(id: string): LiveSession | undefined {
    return this.rememberedIn(this.#byId, id);
  }

  /** The session of a token while it lives; every call counts as activity. */
  find(token: string): Promise<LiveSession | undefined> {
    return this.findIn(this.#byToken, token);
  }

  /** The session over OpenID Connect with this id while it lives; every call counts as activity. */
  findById(id: string): Promise<LiveSession | undefined> {
    return this.findIn(this.#byId, id);
  }

  /**
   * Records a request of a session that was read for it; false if the session has ended since nothing was
   * asked for too long.
   */
  recordRequest(session: SessionLife): boolean {
    const now = this.options.now();
    if (this.expiryOf(session) < now) return false;
    this.#activity.set(session.id, now.getTime());
    return true;
  }

  private rememberedIn(sessions: LiveSessions<LiveSession>, key: string): LiveSession | undefined {
    const session = sessions.get(key);
    if (!session || this.isOver(session)) return undefined;
    this.recordActivity(session);
    return session;
  }

  private async findIn(
    sessions: LiveSessions<LiveSession>,
    key: string,
  ): Promise<LiveSession | undefined> {
    const remembered = this.rememberedIn(sessions, key);
    if (remembered) return remembered;
    // A session that seems expired may have activity at another controller.
    const session = await sessions.load(key);
    if (!session || this.isOver(session)) {
      sessions.delete(key);
      return undefined;
    }
    this.recordActivity(session);
    return session;
  }

  /**
   * Records activity of sessions whose clients are connected to a router, by their tokens, or ids for
   * those over OpenID Connect. Gives their identities, and the names without a live session.
   */
  async touch(names: readonly string[]): Promise<TouchedSessions> {
    const identityIds = new Set<string>();
    const unknown = new Set(names);
    for (const name of names) {
      const cached = this.#byToken.get(name);
      if (!cached || this.isOver(cached)) continue;
      this.recordActivity(cached);
      identityIds.add(cached.identityId);
      unknown.delete(name);
    }
    for (const session of unknown.size === 0 ? [] : await this.stored([...unknown])) {
      if (this.isOver(session)) continue;
      this.#activity.set(session.apiSessionId, this.options.now().getTime());
      identityIds.add(session.identityId);
      unknown.delete(session.name);
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
  private async stored(names: readonly string[]): Promise<StoredActivity[]> {
    const { store, now } = this.options;
    const rows = await apiSessions.activityOf(store, names, now());
    return rows.map(({ id, lastActivityAt, ...row }) => ({
      ...row,
      apiSessionId: id,
      lastActivityAt: Math.max(lastActivityAt.getTime(), this.#activity.get(id) ?? 0),
    }));
  }

  private isOver(session: Pick<LiveSession, 'lastActivityAt' | 'oidcClient'>): boolean {
    return this.options.now().getTime() - session.lastActivityAt > this.timeoutOf(session);
  }

  private timeoutOf({ oidcClient }: Pick<LiveSession, 'oidcClient'>): number {
    const { timeoutMs, oidcTimeoutMs } = this.options;
    return oidcClient === null ? timeoutMs : oidcTimeoutMs;
  }

  /**
   * Opens a session, and joins it to something else in the same transaction. Refuses if the identity was
   * disabled, or the identity or its authenticator was deleted, or its signer or authority stopped vouching
   * for it, after the login was checked.
   * @throws ApiError INVALID_AUTH
   */
  async create(
    store: Store,
    origin: Origin,
    { granted, ...session }: NewSession,
    join?: (tx: Transaction, opened: OpenedSession) => Promise<void>,
  ): Promise<OpenedSession> {
    const id = newSortableId(origin.at);
    const { ApiSession } = this.options.catalog.resources;
    return store.write(origin, async (tx) => {
      const { isMfaEnabled, envInfo, sdkInfo, lastUsedAt } = await this.holdProved(
        tx,
        session,
        granted,
      );
      const begin = {
        id,
        token: randomUUID(),
        configTypes: [...session.configTypes],
        isMfaRequired: isMfaEnabled,
        grantedAdmin: granted?.isAdmin ?? false,
        grantedPermissions: [...(granted?.permissions ?? [])],
        lastActivityAt: origin.at,
      };
      await insertIn(tx, ApiSession, merged(session, begin));
      const opened = { id, isMfaEnabled, clientInfo: { envInfo, sdkInfo }, lastUsedAt };
      await join?.(tx, opened);
      return opened;
    });
  }

  /** Locks the identity of a login and all that proved it until the commit. */
  private async holdProved(
    tx: Transaction,
    session: NewSession,
    granted: GrantedRights = NO_GRANTS,
  ): Promise<HeldIdentity> {
    const { at } = tx.origin;
    const hasAuthenticator = !NO_AUTHENTICATOR.test(session.authenticatorId);
    const [identity, vouchings] = await Promise.all([
      hasAuthenticator
        ? loginAuthenticators.holdEnabled(tx, session, at)
        : identities.holdEnabled(tx, session.identityId, at),
      this.holdVouching(tx, session, granted),
    ]);
    // An administrator has given the identity an authenticator of its own.
    const isVouched =
      identity && (hasAuthenticator || vouchings.every((each) => vouchesFor(each, identity)));
    if (!isVouched) throw failure('INVALID_AUTH');
    return identity;
  }

  /** Locks the signer and the authority of the login until the commit; refuses if one is deleted or disabled. */
  private async holdVouching(
    tx: Transaction,
    { authenticatorId, caId }: NewSession,
    granted: GrantedRights,
  ): Promise<readonly Vouching[]> {
    const signerId = signerOf(authenticatorId);
    const signer = signerId === '' ? UNLIMITED : await externalJwtSigners.holdEnabled(tx, signerId);
    const authority =
      caId === undefined ? UNLIMITED : await certificateAuthorities.holdForLogin(tx, caId);
    if (!signer || !authority || !stillGrants(signer, granted)) throw failure('INVALID_AUTH');
    return [signer, authority];
  }

  /** The last activity of a session, stored or at this controller. */
  lastActivity(stored: Date, id: string): Date {
    return new Date(Math.max(stored.getTime(), this.#activity.get(id) ?? 0));
  }

  /** The time when a session ends without another request. */
  expiryOf({ id, lastActivityAt, oidcClient }: SessionLife): Date {
    const last = this.lastActivity(lastActivityAt, id).getTime();
    return new Date(last + this.timeoutOf({ oidcClient }));
  }

  /**
   * The same in SQL, for a row of the table `api_session`, with the activity that is not stored
   * yet.
   */
  expirySql(alias: string): Sql {
    return apiSessions.endSql(alias, this.options, this.#activity);
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
    const before = (timeoutMs: number): Date =>
      new Date(origin.at.getTime() - timeoutMs * ACTIVITY_GRACE);
    const { timeoutMs, oidcTimeoutMs } = this.options;
    const limits = { before: before(timeoutMs), oidcBefore: before(oidcTimeoutMs) };
    for (let deletedCount = EXPIRY_BATCH; deletedCount === EXPIRY_BATCH;) {
      deletedCount = await this.options.store.write(origin, async (tx) => {
        const ids = await apiSessions.lockInactive(tx, limits, EXPIRY_BATCH);
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

  private async read(key: SessionKey): Promise<LiveSession | undefined> {
    const row = await apiSessions.find(this.options.store, key, this.options.now());
    if (!row) return undefined;
    const session = sessionOf(row);
    const unstored = this.#activity.get(session.apiSessionId) ?? 0;
    session.lastActivityAt = Math.max(unstored, session.lastActivityAt);
    return session;
  }

  private forget(changes: readonly Change[]): void {
    const concerns = concernedBy(this.options.catalog, changes);
    if (!concerns) return;
    this.#byToken.forget(concerns);
    this.#byId.forget(concerns);
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
  oidcClient: row.oidcClient,
  lastActivityAt: row.lastActivityAt.getTime(),
});
