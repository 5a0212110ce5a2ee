import { join } from 'node:path';
import type pg from 'pg';
import { rateLimited } from '../../../base/errors.js';
import { databaseError } from '../database.js';
import { writeSnapshot, type WrittenSnapshot } from './write-snapshot.js';

export interface NewSnapshot extends WrittenSnapshot {
  /** The name of the file in the snapshot folder. */
  readonly name: string;
  readonly createdAt: Date;
}

export interface SnapshotsOptions {
  readonly pool: pg.Pool;
  readonly folder: string;
  readonly now: () => Date;
  /** The key material of this controller: file name -> content. */
  readonly keyFiles: () => Promise<Readonly<Record<string, Buffer>>>;
}

const LEASE = 'snapshot';
const INTERVAL_MS = 60_000;
/** Interval at which the claim is renewed during the write of a snapshot. */
const RENEWAL_MS = 20_000;

/** Snapshots into the data directory: at most one a minute among all controllers of a database. */
export class Snapshots {
  constructor(private readonly options: SnapshotsOptions) {}

  /** @throws ApiError RATE_LIMITED within a minute of another one */
  async create(holder: string, includePki: boolean): Promise<NewSnapshot> {
    const { pool, folder, now, keyFiles } = this.options;
    const createdAt = now();
    if (!(await this.claim(holder, createdAt))) {
      throw rateLimited('there may be one snapshot a minute', await this.secondsLeft(createdAt));
    }
    const renewal = setInterval(() => {
      void this.renew(holder).catch(() => undefined);
    }, RENEWAL_MS);
    try {
      const name = nameOf(createdAt);
      const files = includePki ? keyFiles : undefined;
      const written = await writeSnapshot(pool, join(folder, name), { createdAt, files });
      return { ...written, name, createdAt };
    } catch (error) {
      // No file was written, so the next attempt may come at once.
      await pool
        .query('delete from lease where name = $1 and holder = $2', [LEASE, holder])
        .catch(() => undefined);
      throw databaseError(error);
    } finally {
      clearInterval(renewal);
    }
  }

  private async claim(holder: string, now: Date): Promise<boolean> {
    const { rowCount } = await this.options.pool
      .query(
        `insert into lease as l (name, holder, expires_at) values ($1, $2, $4)
         on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
         -- A later end than possible means that the clock was set back.
         where l.expires_at <= $3 or l.expires_at > $4`,
        [LEASE, holder, now, this.expiry(now)],
      )
      .catch((error: unknown) => {
        throw databaseError(error);
      });
    return rowCount === 1;
  }

  /** Seconds until the claim of another controller ends. */
  private async secondsLeft(now: Date): Promise<number> {
    const { rows } = await this.options.pool.query<{ expires_at: Date }>(
      'select expires_at from lease where name = $1',
      [LEASE],
    );
    return ((rows[0]?.expires_at.getTime() ?? 0) - now.getTime()) / 1000;
  }

  private async renew(holder: string): Promise<void> {
    await this.options.pool.query(
      'update lease set expires_at = $3 where name = $1 and holder = $2',
      [LEASE, holder, this.expiry(this.options.now())],
    );
  }

  private expiry(now: Date): Date {
    return new Date(now.getTime() + INTERVAL_MS);
  }
}

/** A file name that sorts by time and needs no quotes in a shell. */
const nameOf = (at: Date): string =>
  `overgraph-${at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[:-]/g, '')}.snapshot`;
