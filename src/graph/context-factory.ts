import type { IncomingHttpHeaders } from 'node:http';
import type { ApiSessions } from '../auth/index.js';
import type { Catalog } from '../kernel/catalog.js';
import type { Caller, Modules, RequestContext } from '../kernel/context.js';
import { newId } from '../kernel/ids.js';
import { Reader } from '../kernel/reader.js';
import type { Store } from '../kernel/store-port.js';

export interface ContextParts {
  readonly catalog: Catalog;
  readonly store: Store;
  readonly modules: Modules;
  readonly sessions: ApiSessions;
  readonly now: () => Date;
}

/** Makes what one request works with; both doors use it, so a session counts the same on both. */
export class ContextFactory {
  constructor(private readonly parts: ContextParts) {}

  async create(headers: IncomingHttpHeaders, address: string): Promise<RequestContext> {
    return this.make(address, await this.callerOf(headers));
  }

  /** A context for work of the controller itself, or of a caller known already. */
  make(address: string, caller: Caller | undefined, importId?: string): RequestContext {
    const { catalog, store, modules, now } = this.parts;
    const ctx: RequestContext = {
      requestId: newId(),
      address,
      caller,
      catalog,
      store,
      modules,
      now,
      reader: new Reader(() => ctx),
      ...(importId === undefined ? {} : { importId }),
    };
    return ctx;
  }

  private async callerOf(headers: IncomingHttpHeaders): Promise<Caller | undefined> {
    const token = tokenOf(headers);
    return token === undefined ? undefined : this.parts.sessions.find(token);
  }
}

/** `zt-session`, or the bearer token; bad ones are the same as none. */
function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const session = headers['zt-session'];
  if (typeof session === 'string' && session.trim() !== '') return session.trim();
  const { authorization } = headers;
  return authorization?.startsWith('Bearer ')
    ? authorization.slice('Bearer '.length).trim()
    : undefined;
}
