import { column, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/* The keys by which the controllers of the network sign tokens, current and former ones. */

/** The certificate of a key, the fingerprint that tokens name it by, and how far it is published. */
export type SigningKey = Pick<TableRow<'SigningKey'>, 'kid' | 'certPem' | 'publishedAt' | 'sentAt'>;

/** Tokens of service sessions live for a year, at most 366 days; the day more covers clocks that differ. */
const FORMER_KEY_LIFE_MILLIS = 367 * 86_400_000;

/** No network has so many; the newest ones count. */
const MAX_KEYS = 1_000;

/** Registers the current key of a controller; its former keys end when no token can name them. */
export async function register(
  tx: Rows,
  controllerId: string,
  { kid, certPem }: Pick<SigningKey, 'kid' | 'certPem'>,
  now: Date,
): Promise<void> {
  // First, since routers have forgotten a key that has ended: it is published as a new one.
  await tx.writeModel((models) =>
    models.signingKey.deleteMany({ where: { endsAt: { lte: now } } }),
  );
  await tx.writeModel((models) =>
    models.signingKey.upsert({
      where: { kid },
      create: { kid, controllerId, certPem, publishedAt: now },
      update: { controllerId, endsAt: null },
      select: { kid: true },
    }),
  );
  await tx.writeModel((models) =>
    models.signingKey.updateMany({
      where: { controllerId, kid: { not: kid }, endsAt: null },
      data: { endsAt: new Date(now.getTime() + FORMER_KEY_LIFE_MILLIS) },
    }),
  );
}

/** Notes that all connected routers have been sent these keys. */
export const markSent = (rows: Rows, kids: readonly string[], now: Date): Promise<unknown> =>
  rows.writeModel((models) =>
    models.signingKey.updateMany({
      where: { kid: { in: [...kids] }, sentAt: null },
      data: { sentAt: now },
    }),
  );

const isInUse = (alias: string, now: Date): Sql =>
  sql`coalesce(${column(alias, 'ends_at')} > ${now}::timestamptz, true)`;

/**
 * Gives the keys of all controllers that tokens may name. Controllers of an older release register their
 * certificate alone. Models have no unions.
 */
export const all = (rows: Rows, now: Date): Promise<SigningKey[]> =>
  rows.query(
    sql<SigningKey>`select kid, cert_pem as "certPem", published_at as "publishedAt", sent_at as "sentAt" from (
        select kid, cert_pem, published_at, sent_at from signing_key
        where ${isInUse('signing_key', now)}
        union all
        select fingerprint, cert_pem, last_joined_at, null from controller c
        where not exists (select from signing_key k where k.kid = c.fingerprint and ${isInUse('k', now)})
      ) k order by published_at desc, kid limit ${MAX_KEYS}::int`,
  );
