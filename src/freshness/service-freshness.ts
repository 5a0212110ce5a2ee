import type { Store } from '../kernel/store-port.js';
import { sql } from '../kernel/sql.js';
import { Bitset, type PolicyIndex } from '../policy/index.js';

const BATCH = 5_000;

/** A place in the change log. */
export interface LogPosition {
  readonly epoch: number;
  readonly xid: string;
  readonly seq: string;
}

/**
 * When the list of services of each identity last changed, as milliseconds by ordinal. Every
 * controller derives the same times from the change log; now and then they are stored, so that a
 * controller that starts begins with what the others know.
 */
export class ServiceFreshness {
  #changed = new Float64Array(1024);
  #unsaved = new Bitset();
  #began = 0;
  #stored: LogPosition | undefined;

  constructor(private readonly index: PolicyIndex) {}

  /**
   * The lists of these identities changed at that time. A change that does not seem later than what
   * is known counts a millisecond on: clients only ask whether the time is another.
   */
  mark(identities: Bitset, at: Date): void {
    const time = at.getTime();
    identities.forEach((ordinal) => {
      const known = this.#known(ordinal);
      this.#set(ordinal, time > known ? time : known + 1);
    });
  }

  /** The same for changes that may be contained already in what was stored. */
  remind(identities: Bitset, at: Date): void {
    const time = at.getTime();
    identities.forEach((ordinal) => {
      if (time > this.#known(ordinal)) this.#set(ordinal, time);
    });
  }

  markOne(identityId: string, at: Date): void {
    const ordinal = this.index.ordinalOf('identity', identityId);
    if (ordinal !== undefined) this.mark(Bitset.of([ordinal]), at);
  }

  /** Milliseconds; for an identity of which nothing is known, when counting began. */
  lastChange(identityId: string): number {
    const ordinal = this.index.ordinalOf('identity', identityId);
    return ordinal === undefined ? this.#began : this.#known(ordinal);
  }

  /**
   * Takes over what the controllers of this database stored. Gives the place in the log that this
   * contains; the changes since then are to be told by `remind`.
   */
  async load(store: Store, here: LogPosition, now: Date): Promise<LogPosition> {
    const [state] = await store.query(
      sql`insert into service_freshness_state (began_at, epoch, xid, seq)
        values (${now}::timestamptz, ${here.epoch}::int, ${here.xid}::bigint, ${here.seq}::bigint)
        on conflict (is_single) do update set is_single = true
        returning began_at, epoch, xid::text, seq::text`,
    );
    const position: LogPosition = {
      epoch: Number(state?.epoch),
      xid: String(state?.xid),
      seq: String(state?.seq),
    };
    const rows = await store.query(sql`select identity_id, changed_at from service_freshness`);
    this.#began = (state?.began_at as Date).getTime();
    for (const row of rows) {
      const ordinal = this.index.ordinalOf('identity', String(row.identity_id));
      const time = (row.changed_at as Date).getTime();
      if (ordinal !== undefined && time > this.#known(ordinal)) this.#set(ordinal, time);
    }
    this.#unsaved = new Bitset();
    this.#stored = position;
    return position;
  }

  /** Stores the times of those who are logged in, and that the log is contained up to `position`. */
  async save(store: Store, position: LogPosition): Promise<void> {
    const unsaved = this.#unsaved;
    this.#unsaved = new Bitset();
    try {
      await this.#saveTimes(store, this.index.idsOf('identity', unsaved));
      await this.#savePosition(store, position);
    } catch (error) {
      this.#unsaved.or(unsaved);
      throw error;
    }
  }

  async #saveTimes(store: Store, ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += BATCH) {
      const batch = ids.slice(from, from + BATCH);
      const times = batch.map((id) => this.lastChange(id));
      await store.query(
        sql`insert into service_freshness (identity_id, changed_at)
          select i.id, to_timestamp(v.at / 1000.0) from unnest(${batch}::text[], ${times}::double precision[]) v(id, at)
            join identity i on i.id = v.id where exists (select from api_session s where s.identity_id = v.id)
          on conflict (identity_id) do update set changed_at = excluded.changed_at
            where service_freshness.changed_at < excluded.changed_at`,
      );
    }
  }

  async #savePosition(store: Store, position: LogPosition): Promise<void> {
    const known = this.#stored;
    if (known?.xid === position.xid && known.seq === position.seq) return;
    const { epoch, xid, seq } = position;
    await store.query(
      sql`update service_freshness_state set epoch = ${epoch}::int, xid = ${xid}::bigint, seq = ${seq}::bigint
        where (epoch, xid, seq) < (${epoch}::int, ${xid}::bigint, ${seq}::bigint)`,
    );
    this.#stored = position;
  }

  #known(ordinal: number): number {
    return Math.max(this.#changed[ordinal] ?? 0, this.#began);
  }

  #set(ordinal: number, time: number): void {
    if (ordinal >= this.#changed.length) {
      const grown = new Float64Array(Math.max(ordinal + 1, this.#changed.length * 2));
      grown.set(this.#changed);
      this.#changed = grown;
    }
    this.#changed[ordinal] = time;
    this.#unsaved.set(ordinal);
  }
}
