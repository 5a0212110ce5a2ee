/**
 * The environment of PostgreSQL's programs. It does not inherit the environment of this process,
 * which holds secrets and may hold PG* variables; only Windows programs need the variables of the
 * system.
 */
export function environment(): { readonly env?: Readonly<Record<string, string>> } {
  return process.platform === 'win32' ? {} : { env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } };
}
