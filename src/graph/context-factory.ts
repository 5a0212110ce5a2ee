import type { IncomingMessage } from 'node:http';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import {
  outstanding,
  type ApiSessions,
  type ExternalSigners,
  type JwksKeys,
  type LiveSession,
} from '../auth/index.js';
import type { Catalog } from '../kernel/declare/catalog.js';
import {
  Holdings,
  NO_CREDENTIALS,
  type Caller,
  type Modules,
  type RequestContext,
} from '../kernel/request/context.js';
import { invalidField } from '../base/errors.js';
import { newId } from '../base/ids.js';
import { Reader } from '../kernel/read/reader.js';
import type { Store } from '../kernel/request/store-port.js';
import { describeRequest, noteOf } from '../observability/index.js';

export interface ContextParts {
  readonly catalog: Catalog;
  readonly store: Store;
  readonly modules: Modules;
  readonly sessions: ApiSessions;
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
  readonly now: () => Date;
}

/** What tells of a request who sends it. */
export type CallerRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>;

const MOST_BEARERS = 3;
/** No client has a reason to send more; the rest is not looked at. */
const MOST_CERTIFICATES = 10;

/** Makes what one request works with; both doors use it, so a session counts the same on both. */
export class ContextFactory {
  constructor(private readonly parts: ContextParts) {}

  async create(
    request: CallerRequest,
    more: Pick<RequestContext, 'mostRows'> = {},
  ): Promise<RequestContext> {
    const bearers = bearersOf(request);
    const { session, others } = await this.sessionOf(request, bearers);
    const credentials = { bearers: others, clientChain: () => clientChainOf(request) };
    const caller = session && (await this.callerOf(session, others));
    if (caller) describeRequest(request, { identityId: caller.identityId });
    const requestId = noteOf(request)?.requestId ?? newId();
    const reason = caller?.isAdmin === true ? reasonIn(request) : undefined;
    return this.make(request.socket.remoteAddress ?? '', caller, {
      credentials,
      requestId,
      ...(reason === undefined ? {} : { reason }),
      ...more,
    });
  }

  get catalog(): Catalog {
    return this.parts.catalog;
  }

  /** A context for work of the controller itself, or of a caller known already. */
  make(
    address: string,
    caller: Caller | undefined,
    more: Partial<
      Pick<RequestContext, 'importId' | 'credentials' | 'requestId' | 'reason' | 'mostRows'>
    > = {},
  ): RequestContext {
    const { catalog, store, modules, now } = this.parts;
    const ctx: RequestContext = {
      requestId: newId(),
      address: address.replace(/^::ffff:/, ''),
      caller,
      credentials: NO_CREDENTIALS,
      catalog,
      store,
      modules,
      now,
      reader: new Reader(() => ctx),
      holdings: new Holdings(),
      ...more,
    };
    return ctx;
  }

  /** With `zt-session` all bearers are others' tokens; without it one of them may be the session. */
  private async sessionOf(
    request: CallerRequest,
    bearers: readonly string[],
  ): Promise<{ session: LiveSession | undefined; others: readonly string[] }> {
    const header = request.headers['zt-session'];
    if (typeof header === 'string' && header.trim() !== '') {
      return { session: await this.parts.sessions.find(header.trim()), others: bearers };
    }
    const own = bearers.find((token) => !token.includes('.'));
    if (own === undefined) return { session: undefined, others: bearers };
    const session = await this.parts.sessions.find(own);
    return { session, others: bearers.filter((token) => token !== own) };
  }

  private async callerOf(session: LiveSession, bearers: readonly string[]): Promise<Caller> {
    return { ...session, ...(await outstanding(session, bearers, this.parts)) };
  }
}

/** Why access rules may be violated by what is asked. */
const REASON_HEADER = 'overgraph-override-reason';
const LONGEST_REASON = 500;

function reasonIn({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const text = headers[REASON_HEADER];
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  if (text.length > LONGEST_REASON) {
    throw invalidField(REASON_HEADER, `is longer than ${String(LONGEST_REASON)} characters`, text);
  }
  return text.trim();
}

/** The scheme is matched as written, as the reference controller does. */
const BEARER = 'Bearer ';

function bearersOf({ rawHeaders }: CallerRequest): string[] {
  const bearers: string[] = [];
  // Node joins or drops repeated headers elsewhere; here they are as they came.
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] ?? '';
    if (rawHeaders[i]?.toLowerCase() === 'authorization' && value.startsWith(BEARER)) {
      bearers.push(value.slice(BEARER.length).trim());
    }
  }
  return bearers.slice(0, MOST_BEARERS);
}

function clientChainOf({ socket }: CallerRequest): Buffer[] {
  if (!('getPeerCertificate' in socket)) return [];
  const chain: Buffer[] = [];
  let at = (socket as TLSSocket).getPeerCertificate(true);
  // The last of a chain names itself as its issuer; nothing presented gives an empty object.
  while (chain.length < MOST_CERTIFICATES && Buffer.isBuffer(at.raw)) {
    chain.push(at.raw);
    const { issuerCertificate: issuer } = at as Partial<DetailedPeerCertificate>;
    if (issuer === undefined || issuer === at) break;
    at = issuer;
  }
  return chain;
}
