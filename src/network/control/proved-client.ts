import type { ProvedClient } from '../../data/rows/terminator/index.js';

/** Gives the id of the API session of an access token; undefined for one that does not count. */
export type AccessTokenReader = (token: string) => Promise<string | undefined>;

/** The proofs of a client as a router sends them; the token of the API session may be an access token. */
interface SentProofs {
  readonly apiSessionToken: string;
  readonly fingerprints: readonly string[];
}

/** Reads the proofs of a client. A token that does not count names no API session. */
export async function provedClient(
  { apiSessionToken: token, fingerprints }: SentProofs,
  sessionOf: AccessTokenReader,
): Promise<ProvedClient> {
  if (token === '') return { apiSession: null, fingerprints };
  const id = isSigned(token) ? await sessionOf(token) : undefined;
  return { apiSession: id === undefined ? { token } : { id }, fingerprints };
}

const isSigned = (token: string): boolean => token.includes('.');
