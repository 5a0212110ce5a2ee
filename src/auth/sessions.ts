import { randomUUID } from 'node:crypto';
import type { Catalog } from '../kernel/declare/catalog.js';
import type { Caller } from '../kernel/request/context.js';
import { failure } from '../base/errors.js';
import { newSortableId } from '../base/ids.js';
import { detached } from '../kernel/request/request-scope.js';
import type { Sql } from '../base/sql.js';
import type { Change, Origin, Store, Transaction } from '../kernel/request/store-port.js';
import { deleteIn, insertIn } from '../kernel/write/write.js';
import { concernedBy } from '../kernel/declare/decisions.js';
import {
  apiSessionEndSql,
  findActivity,
  findApiSession,
  limitFutureActivity,
  lockInactiveApiSessions,
  storeActivity,
  type ApiSessionRow,
} from './api-session-table.js';
import { holdEnabledIdentity } from './identity-table.js';
import type { AuthPolicySecondary } from './rules/index.js';
import { askedFactors, type SecondFactors } from './second-factors.js';

/** A live API session as requests need it. */
export interface LiveSession extends Omit<Caller, 'authQueries'> {
  readonly token: string;
  readonly factors: SecondFactors;
  /** Milliseconds; moves with every request. */
  lastActivityAt: number;
}

interface SessionOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

/** What became of the tokens that a router reported. */
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
  /** What the client is, as it told. */
  readonly sdkInfo?: object;
  /** Id of the authority of others that vouched for the client. */
  readonly caId?: string;
  /** What the auth policy asks for and did not come with the login. */
  readonly unproved?: Partial<AuthPolicySecondary>;
}

/** How long after the end of the timeout a session is deleted: by then all controllers have flushed. */
const GRACE = 1.1;
/** Clocks of controllers may differ by so much. */
const SKEW_MILLIS = 60_000;
/** No clock is set back so far: what lies further ahead is meant to last. */
const STEP_MILLIS = 365 * 86_400_000;
const EXPIRY_BATCH = 500;
const FLUSH_BATCH = 5_000;

/** What stands for an authenticator in sessions that were opened without one. */
const NO_AUTHENTICATOR = /^(?:internal$|extJwtId:)/;

/** Bounds what strangers with made-up tokens can make us hold: only found sessions are kept. */
const MOST_HELD = 200_000;

/**
 * API sessions: found by token, held in memory while they live, so that a request costs no
 * statement after the first. Changes of the session or its identity drop what is held.
 */
export class ApiSessions {
  readonly #byToken = new Map<string, LiveSession>();
  readonly #loading = new Map<string, Promise<LiveSession | undefined>>();
  /** Milliseconds by id of the session: activity that is not stored yet. */
  readonly #activity = new Map<string, number>();
  /** Moves with whatever may make a held session stale, so that a read under way is not kept. */
  #generation = 0;

  constructor(private readonly options: SessionOptions) {
    options.store.onChange((changes) => {
      this.forget(changes);
    });
  }

  get timeoutSeconds(): number {
    return Math.floor(this.options.timeoutMs / 1000);
  }

  /** The session of a token while it lives; every call counts as activity. */
  async find(token: string): Promise<LiveSession | undefined> {
    const held = this.#byToken.get(token);
    // One that seems over may have been kept alive by way of another controller.
    const session = held && !this.isOver(held) ? held : await this.load(token);
    if (!session || this.isOver(session)) {
      this.#byToken.delete(token);
      return undefined;
    }
    this.keep(session);
    return session;
  }

  /**
   * Clients of these sessions are connected to a router, which counts as activity. Gives their
   * identities, and the tokens of no live session.
   */
  async touch(tokens: readonly string[]): Promise<TouchedSessions> {
    const identityIds = new Set<string>();
    const unknown = new Set(tokens);
    const found = ({ token, identityId }: { token: string; identityId: string }): void => {
      identityIds.add(identityId);
      unknown.delete(token);
    };
    for (const token of tokens) {
      const held = this.#byToken.get(token);
      if (!held || this.isOver(held)) continue;
      this.keep(held);
      found(held);
    }
    for (const session of unknown.size === 0 ? [] : await this.stored([...unknown])) {
      if (this.isOver(session)) continue;
      this.#activity.set(session.apiSessionId, this.options.now().getTime());
      found(session);
    }
    return { identityIds: [...identityIds], unknown: [...unknown] };
  }

  private keep(session: LiveSession): void {
    const now = this.options.now().getTime();
    if (now === session.lastActivityAt) return;
    session.lastActivityAt = now;
    this.#activity.set(session.apiSessionId, now);
  }

  /** What the activity of sessions is told by, of identities that may be logged in. */
  private async stored(
    tokens: readonly string[],
  ): Promise<Pick<LiveSession, 'token' | 'apiSessionId' | 'identityId' | 'lastActivityAt'>[]> {
    const rows = await findActivity(this.options.store, tokens, this.options.now());
    return rows.map((row) => ({
      token: row.token,
      apiSessionId: row.id,
      identityId: row.identity_id,
      lastActivityAt: Math.max(row.last_activity_at.getTime(), this.#activity.get(row.id) ?? 0),
    }));
  }

  private isOver({ lastActivityAt }: Pick<LiveSession, 'lastActivityAt'>): boolean {
    return this.options.now().getTime() - lastActivityAt > this.options.timeoutMs;
  }

  /**
   * Opens a session, unless the identity was disabled, or it or what it logged in with was deleted,
   * since the login was checked.
   * @throws ApiError INVALID_AUTH
   */
  async create(origin: Origin, session: NewSession): Promise<string> {
    const id = newSortableId(origin.at);
    const { identityId } = session;
    await this.options.store.write(origin, async (tx) => {
      const identity = await holdEnabledIdentity(tx, identityId, origin.at);
      if (!identity) throw failure('INVALID_AUTH');
      await this.holdProof(tx, session);
      await insertIn(tx, this.options.catalog.resources.ApiSession, {
        ...session,
        id,
        token: randomUUID(),
        configTypes: [...session.configTypes],
        isMfaRequired: identity.is_mfa_enabled,
        lastActivityAt: origin.at,
      });
    });
    return id;
  }

  /** What the login rests on must still be there, and stays until the commit. */
  private async holdProof(tx: Transaction, { authenticatorId, caId }: NewSession): Promise<void> {
    const proofs = {
      CertificateAuthority: caId,
      Authenticator: NO_AUTHENTICATOR.test(authenticatorId) ? undefined : authenticatorId,
    };
    for (const [name, id] of Object.entries(proofs)) {
      if (id === undefined) continue;
      const [held] = await tx.hold(this.options.catalog.get(name), [id]);
      if (held === undefined) throw failure('INVALID_AUTH');
    }
  }

  /** The last activity of a session, stored or seen here. */
  lastActivity(stored: Date, id: string): Date {
    return new Date(Math.max(stored.getTime(), this.#activity.get(id) ?? 0));
  }

  /** When a session ends unless another request comes. */
  expiryOf(stored: Date, id: string): Date {
    return new Date(this.lastActivity(stored, id).getTime() + this.options.timeoutMs);
  }

  /** The same in SQL, of a row of the table `api_session`, with the activity that is not stored yet. */
  expirySql(alias: string): Sql {
    return apiSessionEndSql(alias, this.options.timeoutMs, this.#activity);
  }

  /** Logs out: the session goes, with the sessions for services under it. */
  async end(ctx: Parameters<typeof deleteIn>[0], origin: Origin, id: string): Promise<void> {
    const sessions = this.options.catalog.resources.ApiSession;
    await this.options.store.write(origin, async (tx) => {
      await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id }));
    });
  }

  /** Deletes sessions without activity for longer than the timeout, a batch at a time. */
  async expire(ctx: Parameters<typeof deleteIn>[0], origin: Origin): Promise<void> {
    await this.bringBack(origin.at);
    const sessions = this.options.catalog.resources.ApiSession;
    const before = new Date(origin.at.getTime() - this.options.timeoutMs * GRACE);
    for (let found = EXPIRY_BATCH; found === EXPIRY_BATCH;) {
      found = await this.options.store.write(origin, async (tx) => {
        const ids = await lockInactiveApiSessions(tx, before, EXPIRY_BATCH);
        await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id: ids }));
        return ids.length;
      });
    }
  }

  /** After the clock was set back nobody is to live on what lies ahead. */
  private async bringBack(now: Date): Promise<void> {
    const ahead = (millis: number): Date => new Date(now.getTime() + millis);
    const future = { from: ahead(SKEW_MILLIS), to: ahead(STEP_MILLIS) };
    await limitFutureActivity(this.options.store, now, future);
  }

  /** Writes activity that the database does not know of yet, a batch at a time. */
  async flush(): Promise<void> {
    const moved = [...this.#activity];
    for (let from = 0; from < moved.length; from += FLUSH_BATCH) {
      const batch = moved.slice(from, from + FLUSH_BATCH);
      await storeActivity(this.options.store, batch);
      for (const [id, at] of batch) {
        if (this.#activity.get(id) === at) this.#activity.delete(id);
      }
    }
  }

  private async load(token: string): Promise<LiveSession | undefined> {
    const known = this.#loading.get(token);
    if (known) return known;
    // Several requests may wait for it.
    const loading = detached(() => this.read(token)).finally(() => {
      if (this.#loading.get(token) === loading) this.#loading.delete(token);
    });
    this.#loading.set(token, loading);
    return loading;
  }

  private async read(token: string): Promise<LiveSession | undefined> {
    const generation = this.#generation;
    const row = await findApiSession(this.options.store, token, this.options.now());
    if (!row) return undefined;
    const session = sessionOf(row);
    const unstored = this.#activity.get(session.apiSessionId) ?? 0;
    session.lastActivityAt = Math.max(unstored, session.lastActivityAt);
    if (generation === this.#generation && this.#byToken.size < MOST_HELD) {
      this.#byToken.set(token, session);
    }
    return session;
  }

  private forget(changes: readonly Change[]): void {
    const concerns = concernedBy(this.options.catalog, changes);
    if (!concerns) return;
    this.#generation += 1;
    // What is being read was asked for before the change.
    this.#loading.clear();
    for (const [token, session] of this.#byToken) {
      if (concerns(session)) this.#byToken.delete(token);
    }
  }
}

const sessionOf = (row: ApiSessionRow): LiveSession => ({
  token: row.token,
  apiSessionId: row.id,
  since: row.created_at,
  identityId: row.identity_id,
  authenticatorId: row.authenticator_id,
  factors: {
    isMfaRequired: row.is_mfa_required,
    isMfaComplete: row.is_mfa_complete,
    isMfaEnabled: row.is_mfa_enabled,
    ...askedFactors(row.secondary, row.unproved),
  },
  isAdmin: row.is_admin,
  permissions: row.permissions,
  configTypes: row.config_types,
  lastActivityAt: row.last_activity_at.getTime(),
});
