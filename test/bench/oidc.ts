import { Agent } from 'node:https';
import type { SecureContext } from 'node:tls';
import { hashPassword, isPassword } from '../../src/trust/auth/password-hash.js';
import { signJwt } from '../../src/trust/pki/index.js';
import { keysOf as keyMaterialOf, type ClientCertificate } from '../trust/auth/certificates.js';
import { ask, CONNECTIONS, drive, inTurn, repeat } from './load.js';
import { newCertificates, type LoginKind } from './logins.js';
import { login } from './measure.js';
import { LOGIN_REQUESTS, logInOverOidc, refreshOverOidc, type OidcTokens } from './oidc-login.js';
import type { HttpRequest } from './reads.js';
import { PASSWORD, type Stage } from './stage.js';

/* Logins, refreshes and reads over OpenID Connect. */

const ADMIN = { username: 'admin', password: PASSWORD };

const agentOf = (): Agent => new Agent({ keepAlive: true, rejectUnauthorized: false });

/** The floor is that of logins by password in the older way: the verification alone. */
const BY_PASSWORD: LoginKind = {
  name: 'oidc login by password',
  prepare: async ({ controller }) => {
    const hashed = await hashPassword(PASSWORD);
    const asked = { origin: controller, agent: agentOf() };
    const one = (): Promise<OidcTokens> => logInOverOidc(asked, 'password', ADMIN);
    return {
      one,
      ours: (seconds) => repeat(one, seconds),
      floor: (seconds) => repeat(() => isPassword(hashed, PASSWORD), seconds),
    };
  },
};

/** Work on a connection of its own, which shows a certificate. */
export async function anew<T>(
  origin: string,
  certificate: ClientCertificate | { readonly secureContext: SecureContext },
  work: (asked: { readonly origin: string; readonly agent: Agent }) => Promise<T>,
): Promise<T> {
  // A session of TLS that is resumed would save both sides the certificates.
  const tls = { rejectUnauthorized: false, maxCachedSessions: 0, ...certificate };
  const agent = new Agent({ keepAlive: true, ...tls });
  try {
    return await work({ origin, agent });
  } finally {
    agent.destroy();
  }
}

/** The floor is a connection with the same certificate that asks for something open as often. */
const BY_CERTIFICATE: LoginKind = {
  name: 'oidc login by certificate, new connection',
  prepare: async (stage) => {
    const certificate = inTurn(await newCertificates(stage, CONNECTIONS));
    const { controller } = stage;
    const one = (): Promise<OidcTokens> =>
      anew(controller, certificate(), (asked) => logInOverOidc(asked, 'cert'));
    return {
      one,
      ours: (seconds) => repeat(one, seconds),
      floor: (seconds) => repeat(() => anew(controller, certificate(), askOpen), seconds),
    };
  },
};

async function askOpen({
  origin,
  agent,
}: {
  readonly origin: string;
  readonly agent: Agent;
}): Promise<void> {
  for (let n = 0; n < LOGIN_REQUESTS; n += 1) {
    await ask(origin, { method: 'GET', path: '/edge/client/v1/version' }, '', agent);
  }
}

/** The floor is three signatures with the key of the controller, in this process. */
const REFRESH: LoginKind = {
  name: 'oidc refresh',
  prepare: async (stage) => {
    const asked = { origin: stage.controller, agent: agentOf() };
    const tokens: string[] = [];
    for (let n = 0; n < CONNECTIONS; n += 1) {
      tokens.push((await logInOverOidc(asked, 'password', ADMIN)).refresh_token);
    }
    const one = async (): Promise<void> => {
      const token = tokens.pop() ?? '';
      tokens.push((await refreshOverOidc(asked, token)).refresh_token);
    };
    const sign = await signing(stage, tokens[0] ?? '');
    return {
      one,
      ours: (seconds) => repeat(one, seconds),
      floor: (seconds) => repeat(sign, seconds),
    };
  },
};

const TOKENS_OF_REFRESH = 3;

/** Signs the claims of a token as often as a refresh does. */
async function signing(stage: Stage, token: string): Promise<() => Promise<void>> {
  const { server } = await keyMaterialOf(stage);
  const claims = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>;
  return () => {
    for (let n = 0; n < TOKENS_OF_REFRESH; n += 1) signJwt({ ...server, kid: 'bench' }, claims);
    // The others have their turn, as between two requests.
    return new Promise((resolve) => setImmediate(resolve));
  };
}

const READ: HttpRequest = { method: 'GET', path: '/edge/client/v1/current-identity' };

/** The floor is the same read with the token of an older login, at the same controller. */
const READ_BY_TOKEN: LoginKind = {
  name: 'oidc read by access token, against zt-session',
  prepare: async (stage) => {
    const { controller } = stage;
    const token = await login(stage);
    const asked = { origin: controller, agent: agentOf() };
    const { access_token: bearer } = await logInOverOidc(asked, 'password', ADMIN);
    const byToken: HttpRequest = { ...READ, bearer };
    return {
      one: () => ask(controller, byToken),
      ours: (seconds) => drive(controller, () => byToken, seconds, ''),
      floor: (seconds) => drive(controller, () => READ, seconds, token),
    };
  },
};

export const OIDC: readonly LoginKind[] = [BY_PASSWORD, BY_CERTIFICATE, REFRESH, READ_BY_TOKEN];
