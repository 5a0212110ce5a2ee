import type pg from 'pg';

/**
 * As in `server_version_num`. The filter language needs a collation of PostgreSQL 17 for upper
 * case.
 */
const OLDEST = 170_000;
const ENCODING = 'UTF8';

/** The reason why a server or its database can not be used; undefined when it can. */
export async function unfitness(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int as version,
       current_setting('server_encoding') as encoding`,
  );
  const [{ version, encoding } = { version: 0, encoding: '' }] = rows;
  if (version < OLDEST) {
    return `it is PostgreSQL ${versionText(version)}, and PostgreSQL ${versionText(OLDEST)} or later is needed`;
  }
  if (encoding !== ENCODING) return `its encoding is ${encoding}, and ${ENCODING} is needed`;
  return undefined;
}

/** `150018` is 15.18, `170000` is 17. */
function versionText(version: number): string {
  const minor = version % 10_000;
  return `${String(Math.floor(version / 10_000))}${minor === 0 ? '' : `.${String(minor)}`}`;
}
