import { OAuthError } from './oauth-error.js';
import type { Parameters } from './parameters.js';

/** The OAuth clients: programs of users, which keep no secrets (RFC 8252 8.4). */
export const CLIENT_IDS: readonly string[] = ['openziti', 'native'];

/** The only scopes with an effect; others are dropped. */
export const SCOPES: readonly string[] = ['openid', 'offline_access'];

/** @throws OAuthError invalid_client */
export function requireClient(id: string | undefined): string {
  if (id !== undefined && CLIENT_IDS.includes(id)) return id;
  throw new OAuthError('invalid_client', 'client not found');
}

const BASIC = /^basic\s+(\S+)\s*$/i;

/** The client that a request names in its header (RFC 6749 2.3.1) or, without one, in its parameters. */
export const clientOf = (parameters: Parameters, authorization: string | undefined): string =>
  requireClient(basicUser(authorization) ?? parameters.get('client_id'));

/** Clients of the field also use the URL-safe alphabet, which Node reads, too. */
function basicUser(authorization = ''): string | undefined {
  const [, encoded] = BASIC.exec(authorization) ?? [];
  return encoded === undefined
    ? undefined
    : Buffer.from(encoded, 'base64').toString('utf8').split(':')[0];
}

export const scopesIn = (text: string): string[] =>
  SCOPES.filter((scope) => text.split(' ').includes(scope));
