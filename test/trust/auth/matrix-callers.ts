import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { restHandler } from '../../../rest-compat/index.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import type { Row } from '../../../src/base/row.js';
import type { InProcess } from '../../support/in-process.js';
import { authPolicy } from './client.js';
import { inSession } from './in-process-logins.js';

/** Kinds of callers as real identities, and what the permission table says of them. */

export interface Holder {
  /** Nobody has no session; a partial one has a second factor still to prove. */
  readonly standing: 'none' | 'partial' | 'full';
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
}

const full = (...permissions: string[]): Holder => ({
  standing: 'full',
  isAdmin: false,
  permissions,
});

/** Some action that is not the one asked for, and that every entity knows. */
const WRONG: Readonly<Record<string, string>> = {
  read: 'update',
  create: 'delete',
  update: 'delete',
  delete: 'update',
};

/** Kind of caller -> who that is for an operation upon an entity. */
export const KINDS: Readonly<Record<string, (entity: string, action: string) => Holder>> = {
  nobody: () => ({ ...full(), standing: 'none' }),
  // All rights, so that only what is still to be proved stands in the way.
  'a partial session': () => ({ ...full(), standing: 'partial', isAdmin: true }),
  'a session without permissions': () => full(),
  admin_readonly: () => full('admin_readonly'),
  '<entity>': (entity) => full(entity),
  '<entity>.<action>': (entity, action) => full(`${entity}.${action}`),
  // Of changes and controllers there is no other: nobody writes them.
  '<entity>.<another action>': (entity, action) =>
    ['change', 'controllers'].includes(entity)
      ? full()
      : full(`${entity}.${String(WRONG[action])}`),
  '<another entity>': (entity) => full(entity === 'terminator' ? 'ca' : 'terminator'),
  'an administrator': () => ({ ...full(), isAdmin: true }),
};

/** Whom an operation that names no entity is tried with: nobody can be given `admin`. */
const STAND_IN = ['identity', 'update'] as const;

/** The entity and the action of what is asked for, e.g. `~ identity.read`. */
export function subjectOf(demands: readonly string[]): readonly [entity: string, action: string] {
  const demand = demands.find((d) => d.includes('.') && !/^(~ )?admin\./.test(d));
  const [entity, action] = demand?.replace(/^[~!] /, '').split('.') ?? [];
  return entity === undefined || action === undefined ? STAND_IN : [entity, action];
}

/** Whether a holder has what one entry of the permission table asks for. */
export function meets({ standing, isAdmin, permissions }: Holder, demand: string): boolean {
  if (demand === 'nothing') return true;
  if (standing === 'none') return false;
  if (demand === 'partial') return true;
  if (standing === 'partial') return false;
  if (isAdmin || demand === 'session' || demand.startsWith('~ ')) return true;
  if (demand === 'admin') return false;
  if (demand === 'reader') return permissions.some((p) => /^[^.]+$|\.read$/.test(p));
  const name = demand.replace(/^! /, '');
  const [entity = '', action = ''] = name.split('.');
  const isRead = action === 'read' && name === demand;
  const sufficient = [entity, name, ...(isRead ? ['admin_readonly'] : [])];
  return permissions.some((permission) => sufficient.includes(permission));
}

/** Sessions of holders, opened when first needed. */
export class Sessions {
  readonly #tokens = new Map<string, string>();
  #policyId: string | undefined;

  constructor(private readonly controller: InProcess) {}

  async tokenOf(holder: Holder): Promise<string | undefined> {
    if (holder.standing === 'none') return undefined;
    const key = JSON.stringify(holder);
    const token = this.#tokens.get(key) ?? (await this.open(holder));
    this.#tokens.set(key, token);
    return token;
  }

  async contextOf(holder: Holder): Promise<RequestContext> {
    const token = await this.tokenOf(holder);
    return token === undefined ? this.controller.anonymous() : inSession(this.controller, token);
  }

  /** For after a call that ends the session. */
  forget(holder: Holder): void {
    this.#tokens.delete(JSON.stringify(holder));
  }

  private async open({ standing, isAdmin, permissions }: Holder): Promise<string> {
    const identity: Row = {
      name: `holder-${String(Math.random())}`,
      type: 'Default',
      isAdmin,
      permissions: [...permissions],
    };
    if (standing === 'partial') identity.authPolicyId = await this.withTotp();
    const id = await this.controller.create('Identity', identity);
    return (await this.controller.openSession(id)).token;
  }

  private async withTotp(): Promise<string> {
    return (this.#policyId ??= await this.controller.create(
      'AuthPolicy',
      authPolicy({ secondary: { requireTotp: true } }),
    ));
  }
}

/** The REST door of an in-process controller, for any method, path and session. */
export class RestDoor {
  private constructor(
    private readonly port: number,
    private readonly agent: Agent,
    private readonly end: () => Promise<void>,
  ) {}

  static async open({ parts, catalog }: InProcess): Promise<RestDoor> {
    const unexpected: unknown[] = [];
    const handle = restHandler(parts.rows, parts.executor, catalog, {
      contexts: parts.contexts,
      onUnexpected: (error) => unexpected.push(error),
    });
    const server = createServer((req, response) => void handle(req, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const agent = new Agent({ keepAlive: true });
    return new RestDoor((server.address() as AddressInfo).port, agent, async () => {
      agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      if (unexpected.length > 0) throw unexpected[0] as Error;
    });
  }

  /** The status, and the code of an error. */
  async send(method: string, path: string, token: string | undefined): Promise<string> {
    const hasBody = !['GET', 'DELETE'].includes(method);
    const sent = request({
      agent: this.agent,
      host: '127.0.0.1',
      port: this.port,
      method,
      path,
      headers: {
        ...(token === undefined ? {} : { 'zt-session': token }),
        ...(hasBody ? { 'content-type': 'application/json', 'content-length': '2' } : {}),
      },
    });
    sent.end(hasBody ? '{}' : undefined);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const code = /"code":"(\w+)"/.exec(Buffer.concat(chunks).toString())?.[1];
    const status = String(answer.statusCode);
    return (answer.statusCode ?? 0) < 400 ? status : `${status} ${String(code)}`;
  }

  close(): Promise<void> {
    return this.end();
  }
}
