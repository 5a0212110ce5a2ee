import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { merged } from '../base/merged.js';
import type { Credentials } from '../kernel/request/context.js';
import type { Rows } from '../kernel/request/store-port.js';
import { presentedChain, type ApiSessions, type LiveSession } from '../trust/auth/index.js';
import {
  namesCertificate,
  provesPossession,
  type AccessTokens,
  type TokenClaims,
} from '../trust/oidc/index.js';

/** The parts of a request that identify its sender. */
export type CallerRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>;

export interface RequestSessionsOptions {
  readonly store: Rows;
  readonly sessions: ApiSessions;
  readonly accessTokens: AccessTokens;
}

/** The API session of a request, and its other credentials. */
export interface RequestSession {
  readonly session: LiveSession | undefined;
  readonly credentials: Credentials;
}

const MAX_BEARERS = 3;

/**
 * The API session that a request names: by its token in `zt-session` or as a bearer, or by an access token
 * of ours as a bearer. With `zt-session`, all bearers are tokens of others.
 */
export class RequestSessions {
  constructor(private readonly options: RequestSessionsOptions) {}

  /** The session in memory, of most requests. */
  remembered(request: CallerRequest): RequestSession | undefined {
    const tokens = tokensIn(request);
    const { sessions, accessTokens } = this.options;
    if (tokens.session !== undefined) {
      const session = sessions.remembered(tokens.session);
      return session && { session, credentials: credentialsOf(request, tokens.others) };
    }
    const [text, ...others] = tokens.others;
    const claims = text === undefined ? undefined : accessTokens.remembered(text);
    if (text === undefined || !claims) return undefined;
    const credentials = credentialsOf(request, others);
    if (!namesCertificate(claims, credentials)) return undefined;
    const session = sessions.rememberedById(claims.apiSessionId);
    return session && { session: withToken(session, text, claims), credentials };
  }

  async find(request: CallerRequest): Promise<RequestSession> {
    const tokens = tokensIn(request);
    if (tokens.session === undefined) return this.findByAccessToken(request, tokens.others);
    const session = await this.options.sessions.find(tokens.session);
    return { session, credentials: credentialsOf(request, tokens.others) };
  }

  private async findByAccessToken(
    request: CallerRequest,
    bearers: readonly string[],
  ): Promise<RequestSession> {
    for (const text of bearers) {
      const claims = await this.options.accessTokens.verify(text);
      if (claims === 'foreign') continue;
      const others = bearers.filter((bearer) => bearer !== text);
      const credentials = credentialsOf(request, others);
      if (typeof claims === 'object') {
        const session = await this.sessionOf(text, claims, credentials);
        if (session) return { session, credentials };
      }
      const refusedToken = claims === 'expired' ? claims : 'invalid';
      return { session: undefined, credentials: { ...credentials, refusedToken } };
    }
    return { session: undefined, credentials: credentialsOf(request, bearers) };
  }

  private async sessionOf(
    text: string,
    claims: TokenClaims,
    credentials: Credentials,
  ): Promise<LiveSession | undefined> {
    const { store, sessions } = this.options;
    const session = await sessions.findById(claims.apiSessionId);
    const isOwn = session && (await provesPossession({ store, credentials }, claims));
    return isOwn ? withToken(session, text, claims) : undefined;
  }
}

const withToken = (
  session: LiveSession,
  text: string,
  { jti, expiresAt, clientId }: TokenClaims,
): LiveSession => merged(session, { accessToken: { id: jti, text, expiresAt, clientId } });

const credentialsOf = (request: CallerRequest, bearers: readonly string[]): Credentials => ({
  bearers,
  clientChain: () => clientChainOf(request),
});

/** The token of a session, and the tokens that are signed by us or by others. */
function tokensIn(request: CallerRequest): {
  readonly session: string | undefined;
  readonly others: readonly string[];
} {
  const bearers = bearersOf(request);
  const header = request.headers['zt-session'];
  if (typeof header === 'string' && header.trim() !== '') {
    return { session: header.trim(), others: bearers };
  }
  const session = bearers.find((bearer) => !bearer.includes('.'));
  return { session, others: bearers.filter((bearer) => bearer !== session) };
}

/** The scheme is matched as written, as the reference controller does. */
const BEARER = 'Bearer ';

function bearersOf({ rawHeaders }: CallerRequest): string[] {
  const bearers: string[] = [];
  // Elsewhere Node joins or drops repeated headers; `rawHeaders` has them as sent.
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] ?? '';
    if (rawHeaders[i]?.toLowerCase() === 'authorization' && value.startsWith(BEARER)) {
      bearers.push(value.slice(BEARER.length).trim());
    }
  }
  return bearers.slice(0, MAX_BEARERS);
}

const clientChainOf = ({ socket }: CallerRequest): Buffer[] =>
  'getPeerCertificate' in socket ? presentedChain(socket as TLSSocket) : [];
