import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type pg from 'pg';
import { ADMIN_PASSWORD, freePort, TestController, type Envelope } from '../support/controller.js';
import { connectBeside, isRoot } from '../support/embedded.js';
import { eventually } from '../support/eventually.js';
import { Program } from '../support/program.js';

/** A controller with its own PostgreSQL, as it is started without any configuration, to be harmed. */
export class EmbeddedController {
  private constructor(
    readonly api: TestController,
    readonly program: Program,
    readonly folder: string,
    private readonly isOurs: boolean,
  ) {}

  /** In a new data directory, or in one that exists. */
  static async start(
    given?: string,
    env: Record<string, string> = {},
  ): Promise<EmbeddedController> {
    const folder = given ?? (await mkdtemp(join(tmpdir(), 'overgraph-faults-')));
    // Enterable by the account that PostgreSQL runs as.
    await chmod(folder, isRoot ? 0o711 : 0o700);
    const port = await freePort();
    const program = new Program({
      OVERGRAPH_DATA_DIR: folder,
      OVERGRAPH_PORT: String(port),
      OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD,
      OVERGRAPH_LOGIN_LIMIT: '0',
      OVERGRAPH_LOG_LEVEL: 'warn',
      ...env,
    });
    await program.ready();
    const api = new TestController(port, '', async () => {
      await program.end('SIGTERM');
    });
    api.token = await api.login();
    return new EmbeddedController(api, program, folder, given === undefined);
  }

  async stop(): Promise<void> {
    await this.api.stop();
    if (this.isOurs) await rm(this.folder, { recursive: true, force: true });
  }

  /** A client of its database beside it. */
  connect(): Promise<pg.Client> {
    return connectBeside(this.folder);
  }

  async query(...statements: string[]): Promise<Record<string, unknown>[]> {
    const client = await this.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const text of statements) {
        ({ rows } = await client.query<Record<string, unknown>>(text));
      }
      return rows;
    } finally {
      await client.end();
    }
  }

  async postmaster(): Promise<number> {
    const file = join(this.folder, 'postgres', 'cluster', 'postmaster.pid');
    return Number.parseInt(await readFile(file, 'utf8'), 10);
  }

  /** Stops all of PostgreSQL where it is; the returned function lets it go on. */
  async freeze(): Promise<() => void> {
    const postmaster = await this.postmaster();
    // First, so that it starts no other process that would answer.
    process.kill(postmaster, 'SIGSTOP');
    const processes = await this.processes();
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    return () => {
      for (const pid of processes) process.kill(pid, 'SIGCONT');
    };
  }

  /** The postmaster and all that it started. */
  async processes(): Promise<number[]> {
    const postmaster = await this.postmaster();
    const children = await readFile(
      `/proc/${String(postmaster)}/task/${String(postmaster)}/children`,
      'utf8',
    );
    return [postmaster, ...children.split(' ').filter(Boolean).map(Number)];
  }

  get isRunning(): boolean {
    return !this.program.hasEnded;
  }
}

let count = 0;

/** Writes on both doors, each the name of a service; the names are unlike any other. */
export const writes = {
  rest: async (api: TestController) => {
    count += 1;
    const name = `by rest ${String(count)}`;
    const answer = await api.rest('POST', '/services', { name, encryptionRequired: true });
    const { status, headers } = answer;
    const { code } = (answer.body as Partial<Envelope>).error ?? {};
    return { name, status, retryAfter: headers['retry-after'], code };
  },
  graph: async (api: TestController) => {
    count += 1;
    const name = `by graph ${String(count)}`;
    const text = `mutation { createService(input: { name: "${name}", encryptionRequired: true }) { id } }`;
    const answer = await api.send<GraphErrors>('POST', '/graphql', {
      body: JSON.stringify({ query: text }),
      headers: { 'content-type': 'application/json', 'zt-session': api.token },
    });
    const { status, headers, body } = answer;
    const code = body.errors?.[0]?.extensions.code;
    return { name, status, retryAfter: headers['retry-after'], code };
  },
};

interface GraphErrors {
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

export const UNAVAILABLE = { status: 503, retryAfter: '1', code: 'UNAVAILABLE' };

/** Both doors refuse to write, and say that it makes sense to come again. */
export async function refusesWrites(api: TestController): Promise<void> {
  for (const write of Object.values(writes)) expect(await write(api)).toMatchObject(UNAVAILABLE);
}

/** What a balancer sees follows within seconds. */
export async function isHealthy(api: TestController, healthy: boolean): Promise<void> {
  await eventually(async () => {
    const { status, body } = await api.send<{ data: { healthy: boolean } }>(
      'GET',
      '/health-checks?type=short',
    );
    expect([status, body.data.healthy]).toStrictEqual([healthy ? 200 : 503, healthy]);
  });
}

/** Both doors write again; gives how long that took. */
export async function writesAgain(api: TestController, withinMs?: number): Promise<number> {
  const { tookMs } = await eventually(async () => {
    expect((await writes.rest(api)).status).toBe(201);
    expect(await writes.graph(api)).toMatchObject({ status: 200, code: undefined });
  }, withinMs);
  return tookMs;
}
