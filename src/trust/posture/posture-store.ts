import { largeCache } from '../../base/large-cache.js';
import { apiSessions } from '../../data/rows/api-session/index.js';
import {
  identityPosture,
  sessionPosture,
  type LockedPosture,
  type SessionOwner,
  type SessionPosture,
  type StoredSession,
} from '../../data/rows/posture/index.js';
import type { Change, Origin, Store, Transaction } from '../../kernel/request/store-port.js';
import { applyResponses } from './apply-responses.js';
import type { PostureData } from './declared-values.js';
import { noPostureData, type PostureSubject } from './posture-data.js';
import type { PostureResponse } from './read-posture-responses.js';
import { noSessionPosture, passMfa, revokeMfa } from './types/mfa/session-posture.js';

/** The posture of an identity and of each of its API sessions, by their ids. */
export interface IdentityPosture {
  readonly data: PostureData;
  readonly sessions: ReadonlyMap<string, SessionPosture>;
}

/** The subject of an evaluation: one API session, or the identity alone. */
export const subjectIn = (
  { data, sessions }: IdentityPosture,
  apiSessionId: string | undefined,
): PostureSubject => ({
  data,
  session:
    (apiSessionId === undefined ? undefined : sessions.get(apiSessionId)) ?? noSessionPosture,
});

const NO_POSTURE: IdentityPosture = { data: noPostureData, sessions: new Map() };

const MAX_CACHED = 20_000;

/**
 * Posture data. The database stores them for every controller; memory holds those in use. A change
 * leaves a record in the change log that names the identity alone.
 */
export class PostureStore {
  readonly #cache = largeCache<Promise<IdentityPosture>>(MAX_CACHED);

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
    const [posture] = await this.ofAll([identityId]);
    return posture ?? NO_POSTURE;
  }

  /** The ids of the identities that have API sessions. */
  identitiesWithSessions(): Promise<string[]> {
    return apiSessions.identitiesWithSessions(this.store);
  }

  /** Of many, in their order, by one statement for those that are not in memory. */
  ofAll(identityIds: readonly string[]): Promise<IdentityPosture[]> {
    const cached = identityIds.map((id) => this.#cache.get(id));
    const missing = identityIds.filter((_, i) => !cached[i]);
    const reading = missing.length > 0 ? this.#read(missing) : Promise.resolve(new Map());
    return Promise.all(identityIds.map((id, i) => cached[i] ?? this.#cacheReading(id, reading)));
  }

  #cacheReading(
    id: string,
    reading: Promise<ReadonlyMap<string, IdentityPosture>>,
  ): Promise<IdentityPosture> {
    const posture = reading.then((postures) => postures.get(id) ?? NO_POSTURE);
    this.#cache.set(id, posture);
    posture.catch(() => {
      if (this.#cache.peek(id) === posture) this.#cache.delete(id);
    });
    return posture;
  }

  /** Stores the answers of a client about its device; gives the session as it was before. */
  async submit(
    store: Store,
    origin: Origin,
    owner: SessionOwner,
    responses: readonly PostureResponse[],
  ): Promise<SessionPosture> {
    const { identityId, apiSessionId } = owner;
    return store.write(origin, async (tx) => {
      const locked = await lockPosture(tx, identityId);
      const session = await sessionIn(tx, apiSessionId);
      const now = tx.origin.at.getTime();
      const applied = applyResponses(locked.data, session, responses, now);
      const revision = locked.revision + (applied.changed ? 1 : 0);
      if (applied.data !== locked.data || applied.changed) {
        await identityPosture.put(tx, identityId, { data: applied.data, revision });
      }
      if (applied.session !== session) {
        await sessionPosture.put(tx, owner, applied.session, tx.origin.at);
      }
      if (applied.changed) record(tx, identityId, revision);
      else this.#cache.delete(identityId);
      return session;
    });
  }

  /** Changes the posture of one API session. */
  async changeSession(
    tx: Transaction,
    owner: SessionOwner,
    change: (session: SessionPosture) => SessionPosture,
  ): Promise<void> {
    await changeLocked(tx, owner, await lockPosture(tx, owner.identityId), change);
  }

  /** The same after a span of time, unless the session was judged again after `judgedAt`. */
  async judgeAgain(
    tx: Transaction,
    owner: SessionOwner,
    judgedAt: Date,
    change: (session: SessionPosture) => SessionPosture,
  ): Promise<void> {
    const locked = await lockPosture(tx, owner.identityId);
    if (await sessionPosture.wasJudgedAt(tx, owner.apiSessionId, judgedAt)) {
      await changeLocked(tx, owner, locked, change);
    }
  }

  #forget(changes: readonly Change[]): void {
    for (const { resource, id, operation, before, after } of changes) {
      if (resource === POSTURE_DATA || resource === 'Identity') this.#cache.delete(id);
      const owner = (before ?? after)?.identityId;
      if (resource === 'ApiSession' && operation !== 'update' && typeof owner === 'string') {
        this.#cache.delete(owner);
      }
    }
  }

  async #read(ids: readonly string[]): Promise<ReadonlyMap<string, IdentityPosture>> {
    const rows = await identityPosture.find(this.store, ids);
    const postures = new Map<
      string,
      { data: PostureData; sessions: Map<string, SessionPosture> }
    >();
    for (const row of rows) {
      const posture = postures.get(row.owner) ?? { data: noPostureData, sessions: new Map() };
      if (row.id === null) posture.data = row.data;
      else posture.sessions.set(row.id, sessionOf(row));
      postures.set(row.owner, posture);
    }
    return postures;
  }
}

/** The session passed MFA just now. */
export const recordMfa = (
  posture: PostureStore,
  tx: Transaction,
  owner: SessionOwner,
): Promise<void> =>
  posture.changeSession(tx, owner, (session) => passMfa(session, tx.origin.at.getTime()));

/** The identity has no second factor any more: no session of it has passed. */
export async function forgetMfa(
  posture: PostureStore,
  tx: Transaction,
  identityId: string,
): Promise<void> {
  for (const apiSessionId of await sessionPosture.idsPastMfa(tx, identityId)) {
    await posture.changeSession(tx, { identityId, apiSessionId }, revokeMfa);
  }
}

function sessionOf({ data, sdk }: StoredSession): SessionPosture {
  const session = data ?? noSessionPosture;
  return Object.keys(sdk).length === 0 ? session : { ...session, sdkInfo: sdk };
}

const lockPosture = (tx: Transaction, identityId: string): Promise<LockedPosture> =>
  identityPosture.lock(tx, identityId, noPostureData);

async function changeLocked(
  tx: Transaction,
  owner: SessionOwner,
  { data, revision }: LockedPosture,
  change: (session: SessionPosture) => SessionPosture,
): Promise<void> {
  const { identityId, apiSessionId } = owner;
  const session = change(await sessionIn(tx, apiSessionId));
  await sessionPosture.put(tx, owner, session, tx.origin.at);
  await identityPosture.put(tx, identityId, { data, revision: revision + 1 });
  record(tx, identityId, revision + 1);
}

async function sessionIn(tx: Transaction, apiSessionId: string): Promise<SessionPosture> {
  const row = await sessionPosture.find(tx, apiSessionId);
  return row ? sessionOf(row) : noSessionPosture;
}

/** The name of posture records in the change log; they carry the id of the identity. */
export const POSTURE_DATA = 'PostureData';

/** The log does not hold the data. Revisions grow on even after the database lost the data. */
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
