import 'reflect-metadata';
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  Agent,
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, validate, type GraphQLSchema } from 'graphql';
import { pino, type Logger } from 'pino';
import { useRecording } from '../../src/data/rows/access-use/index.js';
import { reservedPrefixGuard } from '../../src/access/assignments/index.js';
import { accessGuard } from '../../src/access/enforcement/access-guard.js';
import type { NewSession } from '../../src/trust/auth/index.js';
import { assembleModules, type Assembly } from '../../src/programs/controller/assembly.js';
import { bootstrap } from '../../src/programs/controller/bootstrap.js';
import { ChangeStream } from '../../src/data/changes/index.js';
import { loadConfig, type Config } from '../../src/programs/configuration.js';
import { apiErrorOf, type Executor } from '../../src/graph/index.js';
import type { Caller, RequestContext } from '../../src/kernel/request/context.js';
import type { ApiError } from '../../src/base/errors.js';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import { originOf } from '../../src/kernel/write/write.js';
import { create } from '../../src/kernel/write/write.js';
import type { KeyMaterial } from '../../src/trust/pki/index.js';
import { restHandler } from '../../rest-compat/index.js';
import { graphOnce } from './graph.js';
import { ModelIndex } from '../../src/programs/controller/model-index.js';
import { catalog } from '../../src/resources/index.js';
import { AccessWatch, loadAccess } from '../../src/access/enforcement/access-watch.js';
import type { RecentChanges } from '../../src/access/enforcement/latest-states.js';
import { StoredChangeLog } from '../../src/data/store/change-log.js';
import type { LiveEvents } from '../../src/network/events/index.js';
import { Database } from '../../src/data/store/database.js';
import { ModelStore } from '../../src/data/store/model-store.js';
import { recentChanges } from '../../src/data/store/read-recent-changes.js';
import { openNetwork } from '../../src/data/store/network-record.js';
import { createDatabase } from './database.js';
import { keysIn } from './key-material.js';
import { copyStartedNetwork } from './started-network.js';

/*
 * The modules of a controller put together in the test's own process, without listeners, feed or
 * timers: for tests that count statements, choose callers freely or look into the database.
 */

export const ADVERTISE = 'localhost:1280';

const DAY = 86_400_000;

/** Nothing happens, and no router traces. */
const NO_EVENTS: LiveEvents = {
  open: () => ({ ready: Promise.resolve(), close: () => undefined }),
  toggleTraces: () => Promise.resolve({ isSuccess: false, text: 'no routers\n' }),
};

export interface GraphAnswer {
  readonly data: Row | null;
  /** What the doors would make of each error; `undefined` is an unexpected one. */
  readonly errors: readonly (ApiError | undefined)[];
  /** As text, unexpected ones too. */
  readonly messages: readonly string[];
  /** SQL statements that it took. */
  readonly statements: number;
}

export const ADMIN: Caller = {
  identityId: 'nobody',
  apiSessionId: 'none',
  since: new Date(0),
  isAdmin: true,
  permissions: [],
  configTypes: [],
  authenticatorId: 'none',
  authQueries: [],
};

/** Somebody who is not an administrator. */
export const callerOf = (identityId: string, ...permissions: string[]): Caller => ({
  ...ADMIN,
  identityId,
  isAdmin: false,
  permissions,
});

interface Parts extends Assembly {
  readonly database: Database;
  readonly store: ModelStore;
  readonly model: ModelIndex;
  readonly watch: AccessWatch;
  readonly stream: ChangeStream;
  /** What went wrong in the background. */
  readonly faults: readonly unknown[];
  readonly executor: Executor;
  readonly keys: KeyMaterial;
}

/** What a test sets of a controller. */
export interface InProcessOptions {
  readonly now?: () => Date;
  readonly sessionTimeoutMs?: number;
  /** Of a controller that runs elsewhere, to stand beside it in its network. */
  readonly network?: { readonly databaseUrl: string; readonly keys: KeyMaterial };
  /** Failed logins a minute; not limited by default. */
  readonly loginLimit?: number;
  /** How long counts of logins are kept. */
  readonly loginsKeepMs?: number;
  /** How long a subscriber may take nothing. */
  readonly stallMillis?: number;
  /** Called with each line of the log. */
  readonly onLogLine?: (line: Row) => void;
}

export class InProcess {
  readonly catalog = catalog;

  private constructor(
    readonly url: string,
    readonly parts: Parts,
    /** Its data directory. */
    readonly folder: string,
    private readonly end: () => Promise<void>,
  ) {}

  /** On a new database, or as one more controller on that of another. */
  static async start(beside?: InProcess, options: InProcessOptions = {}): Promise<InProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'overgraph-in-process-'));
    // A network of another time is started at that time.
    const makeNetwork = options.now ? createDatabase : copyStartedNetwork;
    const own = beside || options.network ? undefined : await makeNetwork(folder);
    const url = beside?.url ?? options.network?.databaseUrl ?? own?.url ?? '';
    const database = new Database({ url, named: true, connections: 8 });
    const end = async (): Promise<void> => {
      await database.close();
      await own?.drop();
      await rm(folder, { recursive: true, force: true });
    };
    try {
      const keys = beside?.parts.keys ?? options.network?.keys;
      const parts = await assemble(database, folder, keys, options);
      return new InProcess(url, parts, folder, end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  get schema(): GraphQLSchema {
    return this.parts.executor.schema;
  }

  ctx(caller: Caller | undefined = ADMIN): RequestContext {
    return this.parts.contexts.make('127.0.0.1', caller);
  }

  anonymous(): RequestContext {
    return this.parts.contexts.make('127.0.0.1', undefined);
  }

  /** The administrator who is there from the start. */
  async defaultAdminId(): Promise<string> {
    const { identities } = await this.read<{ identities: { nodes: readonly { id: string }[] } }>(
      '{ identities(filter: "isDefaultAdmin = true") { nodes { id } } }',
    );
    const [admin] = identities.nodes;
    if (!admin) throw new Error('no default administrator');
    return admin.id;
  }

  /** An API session of an identity, without a login. */
  async openSession(
    identityId: string,
    session: Pick<NewSession, 'certificateFingerprint' | 'oidcClient'> = {},
  ): Promise<{ readonly id: string; readonly token: string }> {
    const { id } = await this.parts.sessions.create(this.parts.store, originOf(this.anonymous()), {
      identityId,
      authenticatorId: 'internal',
      ipAddress: '127.0.0.1',
      configTypes: [],
      isCertExtendable: false,
      improperClientCertChain: false,
      ...session,
    });
    const [row] = await this.parts.store.query(
      sql<{ token: string }>`select token from api_session where id = ${id}::text`,
    );
    return { id, token: String(row?.token) };
  }

  /** Runs a document as the executor of both doors does; one that does not fit is a fault of the test. */
  async graph(
    text: string,
    variables: Row = {},
    ctx: RequestContext = this.ctx(),
  ): Promise<GraphAnswer> {
    const document = parse(text);
    const [fault] = validate(this.schema, document);
    if (fault) throw fault;
    const before = this.parts.database.statements;
    const { data, errors = [] } = await this.parts.executor.run(
      document,
      text,
      ctx,
      variables,
      undefined,
    );
    return {
      data: JSON.parse(JSON.stringify(data ?? null)) as Row | null,
      errors: errors.map(apiErrorOf),
      messages: errors.map((e) => e.originalError?.stack ?? e.message),
      statements: this.parts.database.statements - before,
    };
  }

  /** Lets the next reads ask the database, since a deletion may reach every table. */
  async forgetRows(): Promise<void> {
    await this.parts.store.query(sql`delete from lease where false`);
  }

  /** The data of a document that must succeed. */
  async read<T = never>(text: string, variables: Row = {}, ctx?: RequestContext): Promise<T> {
    const { data, messages } = await this.graph(text, variables, ctx);
    if (messages.length > 0) throw new Error(messages.join('\n'));
    return data as T;
  }

  /** Creates an entity through the write pipeline and gives its id. */
  create(resource: string, input: Row): Promise<string> {
    return create(this.ctx(), catalog.get(resource), input);
  }

  async stop(): Promise<void> {
    await this.parts.integrity.stop();
    await this.parts.presence.stop();
    await this.end();
    if (this.parts.faults.length > 0) throw this.parts.faults[0] as Error;
  }
}

/** The session that `ADMIN` and `callerOf` speak of, since only sessions that exist may write. */
const SESSION_OF_ALL = sql`insert into api_session
    (id, created_at, updated_at, token, identity_id, authenticator_id, ip_address, last_activity_at)
  select ${ADMIN.apiSessionId}::text, now(), now(), 'none', id, 'internal', '', '9999-01-01'
  from identity where is_default_admin on conflict do nothing`;

async function assemble(
  database: Database,
  folder: string,
  shared: KeyMaterial | undefined,
  options: InProcessOptions,
): Promise<Parts> {
  const { now = () => new Date(), sessionTimeoutMs = DAY, loginLimit = 0, stallMillis } = options;
  const defaults = loadConfig({
    OVERGRAPH_DATA_DIR: folder,
    OVERGRAPH_JWKS_ALLOW_PRIVATE: 'true',
  });
  const config: Config = {
    ...defaults,
    admin: { username: 'admin', password: 'correct horse' },
    sessionTimeoutMs,
    loginLimit,
    loginsKeepMs: options.loginsKeepMs ?? defaults.loginsKeepMs,
  };
  const store = new ModelStore(database, catalog, 1, (error) => {
    throw error;
  });
  const model = new ModelIndex(catalog, store);
  await bootstrap(store, catalog, config, now());
  await useRecording.begin(store, 1, now());
  await store.query(SESSION_OF_ALL);
  await model.load();
  const changeLog = new StoredChangeLog(database);
  const here = await changeLog.horizon();
  const stream = new ChangeStream(changeLog, here, stallMillis);
  const nothing = async function* (): AsyncGenerator<never> {};
  const access = await loadAccess(store, model.policies, { here, since: nothing }, now());
  const recent: RecentChanges = (tx, names) => recentChanges(tx, here, names);
  store.guard(reservedPrefixGuard());
  store.guard(accessGuard({ catalog, index: model.policies, recent }));
  const keys = shared ?? (await keysIn(folder, now));
  await openNetwork(database, keys);
  const faults: unknown[] = [];
  const executor = await graphOnce();
  const assembly = assembleModules({
    config,
    log: faultsLog(faults, options.onLogLine),
    now,
    store,
    model,
    access,
    stream,
    keys: { current: keys },
    schema: executor.schema,
    networkId: 'in-process',
    controllerId: 'in-process',
    liveEvents: NO_EVENTS,
  });
  const { contexts } = assembly;
  const watch = new AccessWatch(store, model.policies, access, catalog, recent, () =>
    contexts.make('', undefined),
  );
  return { ...assembly, stream, database, store, model, watch, faults, executor, keys };
}

/** Keeps the errors that are logged. */
const faultsLog = (faults: unknown[], onLine?: (line: Row) => void): Logger =>
  pino(
    { level: onLine ? 'info' : 'warn' },
    {
      write: (text) => {
        const line = JSON.parse(text) as Row & { err?: { message: string; stack: string } };
        onLine?.(line);
        const { err } = line;
        if (err) faults.push(Object.assign(new Error(err.message), { stack: err.stack }));
      },
    },
  );

export interface RestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: { data: never; error: { code: string }; meta: Row };
}

/** The REST door of an in-process controller, over plain HTTP. */
export class InProcessRest {
  /** Shown by the next requests, as if it came with their connection. */
  certificate: X509Certificate | undefined;
  /** A request by `fetch` takes half as much processor time again. */
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly origin: string,
    readonly token: string,
    private readonly end: () => Promise<void>,
  ) {}

  /** With an API session of the identity. */
  static async listen(on: InProcess, identityId: string): Promise<InProcessRest> {
    const { contexts } = on.parts;
    const unexpected: unknown[] = [];
    const handle = restHandler(on.parts.rows, on.parts.executor, catalog, {
      contexts,
      onUnexpected: (error) => unexpected.push(error),
    });
    const server = createServer((request, response) => {
      const raw = rest.certificate?.raw;
      Object.assign(request.socket, { getPeerCertificate: () => (raw ? { raw } : {}) });
      void handle(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { token } = await on.openSession(identityId);
    const rest = new InProcessRest(`http://127.0.0.1:${String(port)}`, token, async () => {
      rest.#agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      if (unexpected.length > 0) throw unexpected[0] as Error;
    });
    return rest;
  }

  /** Below the management interface; paths that begin with `/edge` go as they are. */
  get(path: string, headers: Record<string, string> = {}): Promise<RestAnswer> {
    return this.send('GET', path, undefined, headers);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RestAnswer> {
    const full = /^\/(edge|fabric)\//.test(path) ? path : `/edge/management/v1${path}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await this.sendText(method, full, text, headers);
    const { status, headers: received } = answer;
    return { status, headers: received, body: JSON.parse(answer.text) as RestAnswer['body'] };
  }

  /** Sends a text as JSON to a path from the root; the answer may be no JSON. */
  async sendText(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<{
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly text: string;
  }> {
    const sent = request(`${this.origin}${path}`, {
      method,
      agent: this.#agent,
      headers: {
        'zt-session': this.token,
        'content-type': 'application/json',
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of answer.setEncoding('utf8')) text += String(piece);
    return { status: answer.statusCode ?? 0, headers: answer.headers, text };
  }

  /** All of a list in the form asked for. */
  async text(path: string, accept: string): Promise<string> {
    return (await this.exported(path, accept)).text();
  }

  /** All of a list as JSON lines; something is done after the first piece of it has come. */
  async lines(path: string, afterFirst: () => Promise<void>): Promise<Row[]> {
    const answer = await this.exported(path, 'application/x-ndjson');
    let text = '';
    let isFirst = true;
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) {
      text += decoder.decode(piece as Uint8Array, { stream: true });
      if (isFirst) await afterFirst();
      isFirst = false;
    }
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
  }

  stop(): Promise<void> {
    return this.end();
  }

  private async exported(path: string, accept: string): Promise<Response> {
    const headers = { 'zt-session': this.token, accept };
    const answer = await fetch(`${this.origin}/edge/management/v1${path}`, { headers });
    if (answer.status !== 200) throw new Error(await answer.text());
    return answer;
  }
}
