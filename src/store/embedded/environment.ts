/**
 * The environment of PostgreSQL's programs: nothing of ours, which holds secrets and may hold
 * PG* variables. Windows programs need the system's variables, so there it is inherited.
 */
export function environment(): { readonly env?: Readonly<Record<string, string>> } {
  return process.platform === 'win32' ? {} : { env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } };
}
