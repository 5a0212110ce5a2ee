import { randomUUID } from 'node:crypto';
import type { Catalog } from '../kernel/catalog.js';
import type { Caller } from '../kernel/context.js';
import { newSortableId } from '../kernel/ids.js';
import type { Row } from '../kernel/row.js';
import { textsOf } from '../kernel/row.js';
import { sql } from '../kernel/sql.js';
import type { Change, Origin, Store } from '../kernel/store-port.js';
import { deleteIn, insertIn } from '../kernel/write.js';

/** A live API session as requests need it. */
export interface LiveSession extends Caller {
  readonly token: string;
  /** Milliseconds; moves with every request. */
  lastActivityAt: number;
  /** What the database holds; activity is flushed in batches. */
  storedActivityAt: number;
}

interface SessionOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

export interface NewSession {
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly ipAddress: string;
  readonly configTypes: readonly string[];
}

/** Bounds what strangers with made-up tokens can make us hold: only found sessions are kept. */
const MOST_HELD = 200_000;

/**
 * API sessions: found by token, held in memory while they live, so that a request costs no
 * statement after the first. Changes of the session or its identity drop what is held.
 */
export class ApiSessions {
  readonly #byToken = new Map<string, LiveSession>();
  readonly #loading = new Map<string, Promise<LiveSession | undefined>>();

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
    const session = this.#byToken.get(token) ?? (await this.load(token));
    if (!session) return undefined;
    const now = this.options.now().getTime();
    if (now - session.lastActivityAt > this.options.timeoutMs) {
      this.#byToken.delete(token);
      return undefined;
    }
    session.lastActivityAt = Math.max(now, session.lastActivityAt);
    return session;
  }

  async create(origin: Origin, session: NewSession): Promise<{ id: string; token: string }> {
    const id = newSortableId(origin.at);
    const token = randomUUID();
    await this.options.store.write(origin, (tx) =>
      insertIn(tx, this.options.catalog.get('ApiSession'), {
        ...session,
        id,
        token,
        configTypes: [...session.configTypes],
        lastActivityAt: origin.at,
      }),
    );
    return { id, token };
  }

  /** When a session ends unless another request comes. */
  expiryOf(lastActivityAt: Date, token: unknown): Date {
    const held = typeof token === 'string' ? this.#byToken.get(token)?.lastActivityAt : undefined;
    return new Date(Math.max(lastActivityAt.getTime(), held ?? 0) + this.options.timeoutMs);
  }

  /** Logs out: the session goes, with the sessions for services under it. */
  async end(ctx: Parameters<typeof deleteIn>[0], origin: Origin, id: string): Promise<void> {
    const sessions = this.options.catalog.get('ApiSession');
    await this.options.store.write(origin, async (tx) => {
      await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id }));
    });
  }

  /** Writes activity that the database does not know of yet, in one statement. */
  async flush(): Promise<void> {
    const moved = [...this.#byToken.values()].filter((s) => s.lastActivityAt > s.storedActivityAt);
    if (moved.length === 0) return;
    const at = moved.map((s) => s.lastActivityAt);
    await this.options.store.query(
      sql`update api_session s set last_activity_at = greatest(s.last_activity_at, to_timestamp(v.at / 1000.0))
        from unnest(${moved.map((s) => s.apiSessionId)}::text[], ${at}::double precision[]) v(id, at) where s.id = v.id`,
    );
    moved.forEach((session, i) => {
      session.storedActivityAt = at[i] ?? session.storedActivityAt;
    });
  }

  private async load(token: string): Promise<LiveSession | undefined> {
    const known = this.#loading.get(token);
    if (known) return known;
    const loading = this.read(token).finally(() => this.#loading.delete(token));
    this.#loading.set(token, loading);
    return loading;
  }

  private async read(token: string): Promise<LiveSession | undefined> {
    const now = this.options.now();
    const [row] = await this.options.store.query(
      sql`select s.id, s.token, s.identity_id, s.config_types, s.last_activity_at, i.is_admin, i.permissions
        from api_session s join identity i on i.id = s.identity_id
        where s.token = ${token}::text
          and not (i.disabled_at is not null and (i.disabled_until is null or i.disabled_until > ${now}::timestamptz))`,
    );
    if (!row) return undefined;
    const session = sessionOf(row);
    if (this.#byToken.size < MOST_HELD) this.#byToken.set(token, session);
    return session;
  }

  private forget(changes: readonly Change[]): void {
    const sessions = new Set<string>();
    const identities = new Set<string>();
    for (const { resource, id, operation } of changes) {
      if (resource === 'ApiSession' && operation !== 'create') sessions.add(id);
      if (resource === 'Identity' && operation !== 'create') identities.add(id);
    }
    if (sessions.size + identities.size === 0) return;
    for (const [token, session] of this.#byToken) {
      if (sessions.has(session.apiSessionId) || identities.has(session.identityId)) {
        this.#byToken.delete(token);
      }
    }
  }
}

function sessionOf(row: Row): LiveSession {
  const at = (row.last_activity_at as Date).getTime();
  return {
    token: String(row.token),
    apiSessionId: String(row.id),
    identityId: String(row.identity_id),
    isAdmin: row.is_admin === true,
    permissions: textsOf(row.permissions),
    configTypes: textsOf(row.config_types),
    lastActivityAt: at,
    storedActivityAt: at,
  };
}
