import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from './database.js';
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
    readonly child: ChildProcess,
    private readonly end: () => Promise<void>,
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

/** Starts a controller and logs its admin in. Stop it in `afterAll`. */
export async function startController(
  options: ControllerOptions = {},
): Promise<TestController & { dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'overgraph-controller-'));
  const database = await databaseOf(options, dataDir);
  const databaseUrl = options.with?.databaseUrl ?? database?.url ?? '';
  if (options.with) {
    await cp(join(options.with.dataDir, 'pki'), join(dataDir, 'pki'), { recursive: true });
  }
  const port = options.port ?? (await freePort());
  const child = spawn(process.execPath, ['dist/program/main.js'], {
    env: {
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
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const controller = new TestController(port, databaseUrl, child, async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (output.includes('is ready on')) resolve();
    });
    child.once('exit', () => {
      reject(new Error(`the controller did not start: ${output}`));
    });
  });
  controller.token = await controller.login();
  return Object.assign(controller, { dataDir });
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
