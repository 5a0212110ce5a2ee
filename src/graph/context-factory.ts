import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import {
  asksNothing,
  outstanding,
  tellRefusedFactor,
  type ApiSessions,
  type ExternalSigners,
  type JwksKeys,
  type LiveSession,
} from '../trust/auth/index.js';
import type { AccessTokens } from '../trust/oidc/index.js';
import type { Catalog } from '../kernel/declare/catalog.js';
import {
  Holdings,
  NO_CREDENTIALS,
  type Caller,
  type Credentials,
  type Modules,
  type RequestContext,
} from '../kernel/request/context.js';
import { newId } from '../base/ids.js';
import { checkedReason } from '../base/reason.js';
import { Reader } from '../kernel/read/reader.js';
import type { Store } from '../kernel/request/store-port.js';
import { limitOf } from '../requests/limits/index.js';
import { describeRequest, noteOf } from '../requests/observability/index.js';
import { merged } from '../base/merged.js';
import { RequestSessions, type CallerRequest } from './request-sessions.js';

export interface ContextDependencies {
  readonly catalog: Catalog;
  readonly store: Store;
  readonly modules: Modules;
  readonly sessions: ApiSessions;
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
  readonly accessTokens: AccessTokens;
  readonly now: () => Date;
}

/** Where a request comes from. */
type Sender = Pick<RequestContext, 'requestId' | 'address'>;

const addressOf = (remoteAddress = ''): string => remoteAddress.replace(/^::ffff:/, '');

/** Makes the context of a request. Both interfaces use it, so a session counts equally on both. */
export class ContextFactory {
  readonly #sessions: RequestSessions;

  constructor(private readonly dependencies: ContextDependencies) {
    this.#sessions = new RequestSessions(dependencies);
  }

  async create(
    request: CallerRequest,
    extra: Pick<RequestContext, 'mostRows'> = {},
  ): Promise<RequestContext> {
    const requestId = noteOf(request)?.requestId ?? newId();
    const address = addressOf(request.socket.remoteAddress);
    const named = this.#sessions.remembered(request) ?? (await this.#sessions.find(request));
    const { session, credentials } = named;
    const caller = session && (await this.judged(session, credentials, { requestId, address }));
    if (caller) describeRequest(request, { identityId: caller.identityId });
    const reason = caller?.isAdmin === true ? reasonIn(request) : undefined;
    return this.make(address, caller, {
      credentials,
      requestId,
      ...(reason === undefined ? {} : { reason }),
      ...this.boundBy(request),
      ...extra,
    });
  }

  get catalog(): Catalog {
    return this.dependencies.catalog;
  }

  /** Makes the context of a live API session; undefined when there is none with this token. */
  async ofSession(token: string, address: string): Promise<RequestContext | undefined> {
    const session = await this.dependencies.sessions.find(token);
    return session && this.make(address, await this.callerOf(session));
  }

  /** Makes a context for work of the controller itself, or of a known caller. */
  make(
    address: string,
    caller: Caller | undefined,
    extra: Partial<
      Pick<
        RequestContext,
        'importId' | 'credentials' | 'requestId' | 'reason' | 'mostRows' | 'scope' | 'store'
      >
    > = {},
  ): RequestContext {
    const { catalog, store, modules, now } = this.dependencies;
    const ctx: RequestContext = {
      requestId: extra.requestId ?? newId(),
      address: addressOf(address),
      caller,
      credentials: NO_CREDENTIALS,
      catalog,
      store,
      modules,
      now,
      reader: new Reader(() => ctx),
      holdings: new Holdings(),
      ...extra,
    };
    return ctx;
  }

  /** The time limit of a request, and the store that it bounds. */
  private boundBy(request: CallerRequest): Partial<Pick<RequestContext, 'scope' | 'store'>> {
    const scope = limitOf(request);
    return scope ? { scope, store: this.dependencies.store.within(scope) } : {};
  }

  /** The caller of a session; most sessions ask for no further factor, whatever the request proves. */
  private judged(
    session: LiveSession,
    { bearers }: Credentials,
    sender: Sender,
  ): Caller | Promise<Caller> {
    return asksNothing(session.factors) ? session : this.callerOf(session, bearers, sender);
  }

  private async callerOf(
    session: LiveSession,
    bearers: readonly string[] = [],
    sender?: Sender,
  ): Promise<Caller> {
    const { refused, ...state } = await outstanding(session, bearers, this.dependencies);
    // A request without a JWT is not a wrong proof.
    if (refused !== undefined && sender && bearers.length > 0) {
      tellRefusedFactor({ ...this.dependencies, ...sender }, session, refused);
    }
    return merged(session, state);
  }
}

/** The header with the reason for a permitted violation of access rules. */
const REASON_HEADER = 'overgraph-override-reason';

function reasonIn({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const text = headers[REASON_HEADER];
  return typeof text === 'string' ? checkedReason(REASON_HEADER, decoded(text)) : undefined;
}

/** Node reads each byte of a header as a letter. Clients send UTF-8, or ISO 8859-1 (RFC 9110 5.5). */
function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header;
}
