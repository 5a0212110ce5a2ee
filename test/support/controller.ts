import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from './database.js';
import { HostOfControllers } from './host-of-controllers.js';
import { ADMIN_PASSWORD, copyStartedNetwork } from './started-network.js';

/** The built controller as a child process on a database of its own, spoken to over TLS. */

export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body; the text when it is no JSON. */
  readonly body: T;
}

export interface Envelope {
  data: never;
  error: { code: string; message: string; requestId: string; cause?: Record<string, string> };
  meta: {
    pagination: { limit: number; offset: number; totalCount: number };
    filterableFields: string[];
  };
}

export { ADMIN_PASSWORD };

/** Variables that decide what the first start makes: its keys, and the default admin. */
const OF_FIRST_START =
  /^(DATABASE_URL|OVERGRAPH_(ADMIN|ADVERTISE|ALLOW_OPEN|CA_BUNDLE|CTRL_ADDRESS|DATA_DIR|HOST|SECRET_KEY|SIGNER|TLS|TRUST_DOMAIN))/;

export class TestController {
  /** Of the default admin, from the start. */
  token = '';
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  constructor(
    readonly port: number,
    readonly databaseUrl: string,
    /** Ends the program in order; its database stays. */
    readonly end: () => Promise<void>,
    private readonly removePlace: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** A request with the admin's session unless the headers say otherwise. */
  send<T = unknown>(
    method: string,
    path: string,
    options: { body?: string | Buffer; headers?: Record<string, string> } = {},
  ): Promise<Answer<T>> {
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        {
          host: '127.0.0.1',
          port: this.port,
          method,
          path,
          agent: this.#agent,
          headers: options.headers,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: parsed(text) as T,
            });
          });
        },
      );
      request.on('error', reject);
      request.end(options.body);
    });
  }

  /** JSON to the management interface (paths that begin with `/edge` go as they are). */
  rest(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Envelope>> {
    const full = /^\/(edge|fabric)\//.test(path) ? path : `/edge/management/v1${path}`;
    return this.send(method, full, {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.token === '' ? {} : { 'zt-session': this.token }),
        ...headers,
      },
    });
  }

  /** Creates an entity and gives its id. */
  async create(collection: string, body: unknown): Promise<string> {
    const answer = await this.rest('POST', `/${collection}`, body);
    if (answer.status !== 201) throw new Error(`POST ${collection}: ${answer.text}`);
    return (answer.body.data as { id: string }).id;
  }

  async graphql(
    query: string,
    variables: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<{ data: never; errors?: { message: string; extensions: Record<string, unknown> }[] }> {
    const answer = await this.send<never>('POST', '/graphql', {
      body: JSON.stringify({ query, variables }),
      headers: { 'content-type': 'application/json', 'zt-session': this.token, ...headers },
    });
    return answer.body;
  }

  /** Logs in by password and gives the token. */
  async login(username = 'admin', password = ADMIN_PASSWORD): Promise<string> {
    const answer = await this.rest('POST', '/authenticate?method=password', { username, password });
    if (answer.status !== 200) throw new Error(`login: ${answer.text}`);
    return (answer.body.data as { token: string }).token;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.end();
    await this.removePlace();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface ControllerOptions {
  readonly env?: Record<string, string>;
  /** Default: one that is free. */
  readonly port?: number;
  /** On the database of another controller and with its keys: one network, two controllers. */
  readonly with?: { readonly databaseUrl: string; readonly dataDir: string };
}

/** A controller with a process of its own. */
export type ControllerProcess = TestController & { readonly child: ChildProcess };

/** With the folder of its keys. */
type Started<C extends TestController> = C & { readonly dataDir: string };

/**
 * Starts a controller in the process that a worker has for those of all its files, and logs its admin in. Stop it
 * in `afterAll`. One with workers has a process of its own.
 */
export async function startController(
  options: ControllerOptions = {},
): Promise<Started<TestController>> {
  const workers = options.env?.OVERGRAPH_WORKERS ?? '1';
  if (workers !== '1') return startControllerProcess(options);
  const place = await openPlace(options);
  const { port, databaseUrl, env } = place;
  const end = await HostOfControllers.ofWorker().start(env);
  return loggedIn(new TestController(port, databaseUrl, end, place.remove), place);
}

/** Starts a controller that a test kills, reads the output of, or whose exit code it looks at. */
export async function startControllerProcess(
  options: ControllerOptions = {},
): Promise<Started<ControllerProcess>> {
  const place = await openPlace(options);
  const { port, databaseUrl, env } = place;
  const child = spawn(process.execPath, ['dist/program/main.js'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const controller = new TestController(port, databaseUrl, end, place.remove);
  await isReady(child);
  return loggedIn(Object.assign(controller, { child }), place);
}

function isReady(child: ChildProcess): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes('is ready on')) resolve();
      });
    }
    child.once('exit', () => {
      reject(new Error(`the controller did not start: ${output}`));
    });
  });
}

async function loggedIn<C extends TestController>(
  controller: C,
  { dataDir }: Place,
): Promise<Started<C>> {
  controller.token = await controller.login();
  return Object.assign(controller, { dataDir });
}

/** Port, folder and database of a controller that is to start. */
interface Place {
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly remove: () => Promise<void>;
}

async function openPlace(options: ControllerOptions): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'overgraph-controller-'));
  const database = await databaseOf(options, dataDir);
  const databaseUrl = options.with?.databaseUrl ?? database?.url ?? '';
  if (options.with) {
    await cp(join(options.with.dataDir, 'pki'), join(dataDir, 'pki'), { recursive: true });
  }
  const port = options.port ?? (await freePort());
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    OVERGRAPH_DATA_DIR: dataDir,
    OVERGRAPH_PORT: String(port),
    OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD,
    OVERGRAPH_LOG_LEVEL: 'warn',
    OVERGRAPH_WORKERS: '1',
    // Tests ask as fast as they can.
    OVERGRAPH_RATE_LIMIT: '0',
    OVERGRAPH_SESSION_RATE_LIMIT: '0',
    OVERGRAPH_GRAPHQL_BUDGET: '0',
    ...options.env,
  };
  const remove = async (): Promise<void> => {
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { port, dataDir, databaseUrl, env, remove };
}

/** Its own database: of a network that was started before, unless the options decide about the first start. */
async function databaseOf(
  { env = {}, with: other }: ControllerOptions,
  dataDir: string,
): Promise<TestDatabase | undefined> {
  if (other) return undefined;
  const isFirst = Object.keys(env).some((name) => OF_FIRST_START.test(name));
  return isFirst ? createDatabase() : copyStartedNetwork(dataDir);
}

/** Below the ports that systems give to connections, so that none takes the port before its controller does. */
const FIRST_PORT = 10_000;
const PORTS = 22_000;

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
