import { LRUCache } from 'lru-cache';
import { sql } from '../base/sql.js';
import type { Change, Origin, Store, Transaction } from '../kernel/request/store-port.js';
import { applyResponses } from './apply-responses.js';
import type { PostureData } from './declared-values.js';
import { noPostureData, type PostureSubject } from './posture-data.js';
import type { PostureResponse } from './read-posture-responses.js';
import {
  noSessionPosture,
  passMfa,
  revokeMfa,
  type ClientSdk,
  type SessionPosture,
} from './types/mfa/session-posture.js';

/** What is known of an identity and of each of its API sessions, by their ids. */
export interface IdentityPosture {
  readonly data: PostureData;
  readonly sessions: ReadonlyMap<string, SessionPosture>;
}

/** What an evaluation looks at, of one API session or of the identity alone. */
export const subjectIn = (
  { data, sessions }: IdentityPosture,
  apiSessionId: string | undefined,
): PostureSubject => ({
  data,
  session:
    (apiSessionId === undefined ? undefined : sessions.get(apiSessionId)) ?? noSessionPosture,
});

/** An API session and the identity that it belongs to. */
export interface SessionOwner {
  readonly identityId: string;
  readonly apiSessionId: string;
}

const NOTHING: IdentityPosture = { data: noPostureData, sessions: new Map() };

const MOST_HELD = 20_000;

/**
 * Posture data: stored where every controller finds them, held in memory while they are used. What
 * alters them is told by a record of the change log that names the identity alone.
 */
export class PostureStore {
  readonly #held = new LRUCache<string, Promise<IdentityPosture>>({ max: MOST_HELD });

  constructor(private readonly store: Store) {
    store.onChange((changes) => {
      this.#forget(changes);
    });
  }

  /** By way of an API session; of the identity alone when it has none. */
  async subject(identityId: string, apiSessionId: string | undefined): Promise<PostureSubject> {
    return subjectIn(await this.of(identityId), apiSessionId);
  }

  async of(identityId: string): Promise<IdentityPosture> {
    const [found] = await this.ofAll([identityId]);
    return found ?? NOTHING;
  }

  /** Of many, in their order, by one statement for those that are not held. */
  ofAll(identityIds: readonly string[]): Promise<IdentityPosture[]> {
    const held = identityIds.map((id) => this.#held.get(id));
    const missing = identityIds.filter((_, i) => !held[i]);
    const reading = missing.length > 0 ? this.#read(missing) : Promise.resolve(new Map());
    return Promise.all(identityIds.map((id, i) => held[i] ?? this.#hold(id, reading)));
  }

  #hold(
    id: string,
    reading: Promise<ReadonlyMap<string, IdentityPosture>>,
  ): Promise<IdentityPosture> {
    const own = reading.then((found) => found.get(id) ?? NOTHING);
    this.#held.set(id, own);
    own.catch(() => {
      if (this.#held.peek(id) === own) this.#held.delete(id);
    });
    return own;
  }

  /** Takes what a client told of its device; gives what was known of the session before. */
  async submit(
    origin: Origin,
    { identityId, apiSessionId }: SessionOwner,
    responses: readonly PostureResponse[],
  ): Promise<SessionPosture> {
    return this.store.write(origin, async (tx) => {
      const locked = await lock(tx, identityId);
      const session = await sessionIn(tx, apiSessionId);
      const now = tx.origin.at.getTime();
      const applied = applyResponses(locked.data, session, responses, now);
      const revision = locked.revision + (applied.changed ? 1 : 0);
      if (applied.data !== locked.data || applied.changed) {
        await storeData(tx, identityId, applied.data, revision);
      }
      if (applied.session !== session) {
        await storeSession(tx, identityId, apiSessionId, applied.session);
      }
      if (applied.changed) record(tx, identityId, revision);
      else this.#held.delete(identityId);
      return session;
    });
  }

  /** Changes what is known of one API session. */
  async changeSession(
    tx: Transaction,
    owner: SessionOwner,
    change: (session: SessionPosture) => SessionPosture,
  ): Promise<void> {
    await changeLocked(tx, owner, await lock(tx, owner.identityId), change);
  }

  /** The same after a span of time, unless somebody did so since the session was judged at `judgedAt`. */
  async judgeAgain(
    tx: Transaction,
    owner: SessionOwner,
    judgedAt: Date,
    change: (session: SessionPosture) => SessionPosture,
  ): Promise<void> {
    const locked = await lock(tx, owner.identityId);
    const [due] = await tx.query(
      sql`select api_session_id from api_session_posture
        where api_session_id = ${owner.apiSessionId}::text and judged_at = ${judgedAt}::timestamptz`,
    );
    if (due) await changeLocked(tx, owner, locked, change);
  }

  #forget(changes: readonly Change[]): void {
    for (const { resource, id, operation, before, after } of changes) {
      if (resource === POSTURE_DATA || resource === 'Identity') this.#held.delete(id);
      const owner = (before ?? after)?.identityId;
      if (resource === 'ApiSession' && operation !== 'update' && typeof owner === 'string') {
        this.#held.delete(owner);
      }
    }
  }

  async #read(ids: readonly string[]): Promise<ReadonlyMap<string, IdentityPosture>> {
    const rows = await this.store.query(
      sql<PostureRow>`select p.identity_id as owner, null as id, p.data, null as sdk from identity_posture p
         where p.identity_id = any(${[...ids]}::text[])
        union all
        select s.identity_id, s.id, p.data, s.sdk_info from api_session s
          left join api_session_posture p on p.api_session_id = s.id
         where s.identity_id = any(${[...ids]}::text[])`,
    );
    const found = new Map<string, { data: PostureData; sessions: Map<string, SessionPosture> }>();
    for (const row of rows) {
      const own = found.get(row.owner) ?? { data: noPostureData, sessions: new Map() };
      if (row.id === null) own.data = row.data;
      else own.sessions.set(row.id, sessionOf(row));
      found.set(row.owner, own);
    }
    return found;
  }
}

/** The session passed MFA just now. */
export const recordMfa = (
  posture: PostureStore,
  tx: Transaction,
  owner: SessionOwner,
): Promise<void> =>
  posture.changeSession(tx, owner, (session) => passMfa(session, tx.origin.at.getTime()));

type SessionIdRow = { id: string };

/** The identity has no second factor any more: no session of it has passed. */
export async function forgetMfa(
  posture: PostureStore,
  tx: Transaction,
  identityId: string,
): Promise<void> {
  const rows = await tx.query(
    sql<SessionIdRow>`select api_session_id as id from api_session_posture where identity_id = ${identityId}::text and passed_mfa_at is not null`,
  );
  for (const { id } of rows) {
    await posture.changeSession(tx, { identityId, apiSessionId: id }, revokeMfa);
  }
}

/** Without data nothing was told of the session yet; an empty `sdk` means that it is not known. */
type SessionRow = { data: SessionPosture | null; sdk: ClientSdk };

/** What is stored of an identity, or of one of its sessions. */
type PostureRow =
  { owner: string; id: null; data: PostureData } | ({ owner: string; id: string } & SessionRow);

function sessionOf({ data, sdk }: SessionRow): SessionPosture {
  const session = data ?? noSessionPosture;
  return Object.keys(sdk).length === 0 ? session : { ...session, sdkInfo: sdk };
}

interface Locked {
  readonly data: PostureData;
  readonly revision: number;
}

async function changeLocked(
  tx: Transaction,
  { identityId, apiSessionId }: SessionOwner,
  { data, revision }: Locked,
  change: (session: SessionPosture) => SessionPosture,
): Promise<void> {
  await storeSession(tx, identityId, apiSessionId, change(await sessionIn(tx, apiSessionId)));
  await storeData(tx, identityId, data, revision + 1);
  record(tx, identityId, revision + 1);
}

/** One at a time for each identity, also among controllers. */
async function lock(tx: Transaction, identityId: string): Promise<Locked> {
  const [row] = await tx.query(
    sql<Locked>`insert into identity_posture (identity_id, data, revision)
      values (${identityId}::text, ${JSON.stringify(noPostureData)}::jsonb, 0)
      on conflict (identity_id) do update set revision = identity_posture.revision
      returning data, revision::float8 as revision`,
  );
  if (!row) throw new Error('the posture of an identity is there once it is locked');
  return row;
}

async function sessionIn(tx: Transaction, apiSessionId: string): Promise<SessionPosture> {
  const [row] = await tx.query(
    sql<SessionRow>`select p.data, s.sdk_info as sdk from api_session s
      left join api_session_posture p on p.api_session_id = s.id where s.id = ${apiSessionId}::text`,
  );
  return row ? sessionOf(row) : noSessionPosture;
}

const storeData = (
  tx: Transaction,
  identityId: string,
  data: PostureData,
  revision: number,
): Promise<unknown> =>
  tx.query(
    sql`update identity_posture set data = ${JSON.stringify(data)}::jsonb, revision = ${revision}::bigint
      where identity_id = ${identityId}::text returning identity_id`,
  );

async function storeSession(
  tx: Transaction,
  identityId: string,
  apiSessionId: string,
  session: SessionPosture,
): Promise<void> {
  // The session itself has what the client told at login.
  const data = { ...session, sdkInfo: undefined };
  const at = (millis: number | undefined): Date | null =>
    millis === undefined ? null : new Date(millis);
  await tx.query(
    sql`insert into api_session_posture (api_session_id, identity_id, data, passed_mfa_at, woken_at, unlocked_at, judged_at)
      values (${apiSessionId}::text, ${identityId}::text, ${JSON.stringify(data)}::jsonb, ${at(session.passedMfaAt)}::timestamptz,
        ${at(session.wokenAt)}::timestamptz, ${at(session.unlockedAt)}::timestamptz, ${tx.origin.at}::timestamptz)
      on conflict (api_session_id) do update set data = excluded.data, passed_mfa_at = excluded.passed_mfa_at,
        woken_at = excluded.woken_at, unlocked_at = excluded.unlocked_at, judged_at = excluded.judged_at
      returning api_session_id`,
  );
}

/** What records of posture in the change log are called; they carry the id of the identity. */
export const POSTURE_DATA = 'PostureData';

/** The data themselves are not for the log. Revisions go on growing when the server lost the data. */
const record = (tx: Transaction, identityId: string, revision: number): void => {
  tx.record({
    resource: POSTURE_DATA,
    id: identityId,
    operation: 'update',
    revision,
    before: null,
    after: null,
  });
};
