import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { ClientCertificate } from '../trust/auth/certificates.js';
import { ADMIN_PASSWORD, freePort, type TestController } from '../support/controller.js';
import { eventually } from '../support/eventually.js';

/* Unmodified programs of OpenZiti in a network of the built controller. */

/** The path of a real `ziti` program, for the tests that run it. */
export const ZITI = process.env.OVERGRAPH_ZITI;
/** The path of one of version 2. */
export const ZITI_2 = process.env.OVERGRAPH_ZITI_2;

const run = promisify(execFile);

export interface RealRouter {
  readonly id: string;
  readonly name: string;
  /** The port for clients. */
  readonly edge: number;
  readonly start: () => void;
  readonly kill: () => Promise<void>;
  /** Whether its process runs: not before `start`, and not after it has ended by itself. */
  readonly isRunning: () => boolean;
}

export interface RouterOptions {
  readonly roleAttributes?: string[];
  /** The mode of a tunneler in the router, such as `host`. */
  readonly tunneler?: readonly string[];
  /** The path of the `ziti` program; by default `ZITI`. */
  readonly program?: string | undefined;
  /** The port of its controllers, if it is not that of the only one. */
  readonly controllers?: number;
}

/** A folder with identities, and the programs that were started in it. */
export class RealNetwork {
  readonly #programs = new Map<string, ChildProcess>();
  #echo: Server | undefined;
  #count = 0;

  private constructor(
    public controller: TestController,
    private readonly folder: string,
  ) {}

  static async open(controller: TestController): Promise<RealNetwork> {
    return new RealNetwork(controller, await mkdtemp(join(tmpdir(), 'overgraph-real-')));
  }

  async close(): Promise<void> {
    for (const name of [...this.#programs.keys()]) await this.kill(name);
    this.#echo?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** A server that sends back what it gets; gives its port. */
  async echo(): Promise<number> {
    this.#echo ??= createServer((socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    });
    if (!this.#echo.listening) await once(this.#echo.listen(0, '127.0.0.1'), 'listening');
    return (this.#echo.address() as AddressInfo).port;
  }

  unique(kind: string): string {
    this.#count += 1;
    return `${kind}-${String(this.#count)}`;
  }

  /** Creates, enrolls and starts a router. */
  async router({
    roleAttributes = [],
    tunneler,
    program = ZITI,
    controllers: controller = this.controller.port,
  }: RouterOptions = {}): Promise<RealRouter> {
    const name = this.unique('router');
    const id = await this.controller.create('edge-routers', {
      name,
      roleAttributes,
      isTunnelerEnabled: tunneler !== undefined,
    });
    const { body } = await this.controller.rest('GET', `/edge-routers/${id}`);
    const { enrollmentJwt } = body.data as { enrollmentJwt: string };
    const [edge, link] = [await freePort(), await freePort()];
    const config = routerConfig({ name, edge, link, controller, tunneler });
    await writeFile(join(this.folder, `${name}.yml`), config);
    await writeFile(join(this.folder, `${name}.jwt`), enrollmentJwt);
    await this.run(program, ['router', 'enroll', `${name}.yml`, '--jwt', `${name}.jwt`]);
    const start = (): void => {
      this.start(program, name, 'router', 'run', `${name}.yml`);
    };
    start();
    const isRunning = (): boolean => this.#programs.get(name)?.exitCode === null;
    return { id, name, edge, start, kill: () => this.kill(name), isRunning };
  }

  /** Creates and enrolls an identity; gives the name of its file and its id. */
  async identity(attribute: string): Promise<{ readonly file: string; readonly id: string }> {
    const name = this.unique('identity');
    const id = await this.controller.create('identities', {
      name,
      type: 'Default',
      isAdmin: false,
      roleAttributes: [attribute],
      enrollment: { ott: true },
    });
    const { body } = await this.controller.rest('GET', `/identities/${id}`);
    const { enrollment } = body.data as { enrollment: { ott: { jwt: string } } };
    return { file: await this.enroll(enrollment.ott.jwt), id };
  }

  /** Enrolls an identity by a token, with a certificate of its own if it has one; gives its file. */
  async enroll(jwt: string, certificate?: ClientCertificate): Promise<string> {
    const name = this.unique('enrolled');
    await writeFile(join(this.folder, `${name}.jwt`), jwt);
    const own = certificate ? await this.certificateFiles(name, certificate) : [];
    await this.ziti('edge', 'enroll', `${name}.jwt`, ...own, '-o', `${name}.json`);
    return `${name}.json`;
  }

  /** Names the controllers of an identity in its file. */
  async setControllers(file: string, ports: readonly number[]): Promise<void> {
    const path = join(this.folder, file);
    const content = JSON.parse(await readFile(path, 'utf8')) as object;
    const [ztAPI, ...others] = ports.map(clientInterface);
    const ztAPIs = others.length > 0 ? [ztAPI, ...others] : undefined;
    await writeFile(path, JSON.stringify({ ...content, ztAPI, ztAPIs }));
  }

  private async certificateFiles(
    name: string,
    { cert, key }: ClientCertificate,
  ): Promise<string[]> {
    await writeFile(join(this.folder, `${name}.cert`), cert);
    await writeFile(join(this.folder, `${name}.key`), key);
    return ['-c', `${name}.cert`, '-k', `${name}.key`, '-n', name];
  }

  /** Writes the file of an identity that has this certificate; gives its name. */
  async identityFile({ cert, key }: ClientCertificate, authorities: string): Promise<string> {
    const file = `${this.unique('written')}.json`;
    const ztAPI = clientInterface(this.controller.port);
    const id = { cert: `pem:${cert}`, key: `pem:${key}`, ca: `pem:${authorities}` };
    await writeFile(join(this.folder, file), JSON.stringify({ ztAPI, id }));
    return file;
  }

  /** The certificate in the file of an identity. */
  async certificateIn(file: string): Promise<ClientCertificate> {
    const { id } = JSON.parse(await readFile(join(this.folder, file), 'utf8')) as {
      id: ClientCertificate;
    };
    return { cert: id.cert.replace(/^pem:/, ''), key: id.key.replace(/^pem:/, '') };
  }

  /** Hosts the services of an identity until it is killed; gives the name of the program. */
  host(file: string, program = ZITI): string {
    const name = this.unique('host');
    this.start(program, name, 'tunnel', 'host', '-i', file);
    return name;
  }

  /** Opens a local port that leads to a service; gives the port. */
  async dial(file: string, service: string, program = ZITI): Promise<number> {
    const port = await freePort();
    const target = `${service}:${String(port)}`;
    const args = ['tunnel', 'proxy', '--svcPollRate', '2', '-i', file, target];
    this.start(program, this.unique('dialer'), ...args);
    return port;
  }

  private start(program: string | undefined, name: string, ...args: string[]): void {
    const child = spawn(program ?? '', args, {
      cwd: this.folder,
      env: this.env(),
      stdio: 'ignore',
    });
    child.on('error', () => undefined);
    this.#programs.set(name, child);
  }

  /** Starts a command that prints until it is killed; gives what it has printed. */
  follow(program: string | undefined, args: readonly string[]): { readonly output: () => string } {
    const child = spawn(program ?? '', args, { cwd: this.folder, env: this.env() });
    let output = '';
    for (const pipe of [child.stdout, child.stderr]) {
      pipe.on('data', (piece: Buffer) => {
        output += piece.toString();
      });
    }
    child.on('error', () => undefined);
    this.#programs.set(this.unique('follower'), child);
    return { output: () => output };
  }

  async kill(name: string): Promise<void> {
    const child = this.#programs.get(name);
    this.#programs.delete(name);
    if (!child || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Logs the administrator in, for commands of the command line. */
  async logIn(program = ZITI): Promise<void> {
    const address = `localhost:${String(this.controller.port)}`;
    await this.run(program, ['edge', 'login', address, '-u', 'admin', '-p', ADMIN_PASSWORD, '-y']);
  }

  /** Runs a command and gives what it prints. */
  ziti(...args: string[]): Promise<string> {
    return this.run(ZITI, args);
  }

  /** Runs a command of a version of the program. */
  async run(program: string | undefined, args: readonly string[]): Promise<string> {
    return (await run(program ?? '', args, { cwd: this.folder, env: this.env() })).stdout;
  }

  /** The state of a router, as clients see it. */
  async stateOf({ id }: RealRouter): Promise<unknown> {
    return (await this.controller.rest('GET', `/edge-routers/${id}`)).body.data;
  }

  /** The ids of the links between two routers. */
  async linksBetween(...ends: readonly [RealRouter, RealRouter]): Promise<string[]> {
    const text = '{ links { nodes { id sourceRouter { id } destRouter { id } } } }';
    const { data } = await this.controller.graphql(text);
    const { links } = data as {
      links: { nodes: { id: string; sourceRouter: { id: string }; destRouter: { id: string } }[] };
    };
    const wanted = ends.map(({ id }) => id).sort();
    return links.nodes.flatMap(({ id, sourceRouter, destRouter }) =>
      isDeepStrictEqual([sourceRouter.id, destRouter.id].sort(), wanted) ? [id] : [],
    );
  }

  private env(): NodeJS.ProcessEnv {
    return { HOME: this.folder, PATH: '/usr/bin:/bin' };
  }
}

const clientInterface = (port: number): string =>
  `https://localhost:${String(port)}/edge/client/v1`;

interface RouterConfig {
  readonly name: string;
  readonly edge: number;
  readonly link: number;
  readonly controller: number;
  readonly tunneler: readonly string[] | undefined;
}

const routerConfig = ({ name, edge, link, controller, tunneler }: RouterConfig): string => `
v: 3
identity:
  cert: ${name}.cert
  server_cert: ${name}.server.cert
  key: ${name}.key
  ca: ${name}.ca
ctrl:
  endpoint: tls:localhost:${String(controller)}
  endpointsFile: ${name}.endpoints
metrics:
  reportInterval: 5s
link:
  dialers:
    - binding: transport
  listeners:
    - binding: transport
      bind: tls:127.0.0.1:${String(link)}
      advertise: tls:127.0.0.1:${String(link)}
listeners:
  - binding: edge
    address: tls:127.0.0.1:${String(edge)}
    options:
      advertise: 127.0.0.1:${String(edge)}
${tunneler ? ['  - binding: tunnel', '    options:', ...tunneler].join('\n') : ''}
edge:
  csr:
    country: DE
    province: BE
    locality: Berlin
    organization: Example
    organizationalUnit: Network
    sans:
      dns: [localhost]
      ip: [127.0.0.1]
`;

/** Sends bytes to a port and gets them back; gives the milliseconds, and throws if they differ. */
export async function transfer(port: number, bytes: number): Promise<number> {
  const begin = performance.now();
  const socket = connect(port, '127.0.0.1');
  const sent = createHash('sha256');
  const received = createHash('sha256');
  let count = 0;
  const done = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error(`closed after ${String(count)} bytes`));
    });
    socket.on('data', (piece: Buffer) => {
      received.update(piece);
      count += piece.length;
      if (count >= bytes) resolve();
    });
  });
  const piece = randomBytes(64 * 1024);
  const sending = (async () => {
    for (let left = bytes; left > 0; left -= piece.length) {
      const part = piece.subarray(0, Math.min(piece.length, left));
      sent.update(part);
      if (!socket.write(part)) await Promise.race([once(socket, 'drain'), done]);
    }
  })();
  try {
    await Promise.all([done, sending]);
  } finally {
    socket.destroy();
  }
  if (sent.digest('hex') !== received.digest('hex')) throw new Error('other bytes came back');
  return performance.now() - begin;
}

const PACE_MILLIS = 100;
const PIECE_BYTES = 100_000;

/** A connection over which 1 MB a second flows there and back. */
export class Flow {
  readonly #socket: Socket;
  readonly #sent = createHash('sha256');
  readonly #received = createHash('sha256');
  readonly #pacing: NodeJS.Timeout;
  #count = { sent: 0, received: 0 };
  #fault: Error | undefined;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (piece: Buffer) => {
      this.#received.update(piece);
      this.#count.received += piece.length;
    });
    this.#socket.on('error', (fault) => (this.#fault = fault));
    this.#socket.on('close', () => {
      clearInterval(this.#pacing);
      this.#fault ??= new Error('the connection was closed');
    });
    this.#pacing = setInterval(() => {
      const piece = randomBytes(PIECE_BYTES);
      this.#sent.update(piece);
      this.#count.sent += piece.length;
      this.#socket.write(piece);
    }, PACE_MILLIS);
  }

  /** Whether an end has closed it. */
  get isCut(): boolean {
    return this.#fault !== undefined;
  }

  /** The bytes that have come back. */
  get received(): number {
    return this.#count.received;
  }

  /** Waits for what is under way, and gives the bytes; throws if it was cut, or other ones came. */
  async end(): Promise<number> {
    clearInterval(this.#pacing);
    await eventually(() => {
      if (this.#fault) return;
      if (this.#count.received < this.#count.sent) throw new Error('bytes are still under way');
    });
    const { sent, received } = this.#count;
    this.#socket.destroy();
    if (this.#fault) throw this.#fault;
    if (this.#sent.digest('hex') !== this.#received.digest('hex')) {
      throw new Error(`other bytes came back: ${String(received)} of ${String(sent)}`);
    }
    return received;
  }
}

/** Longer than a dial takes that waits for a controller: given up dials keep their host busy. */
const PATIENCE_MILLIS = 20_000;

/** Waits until a service answers at a port. */
export const answers = (port: number, withinMs = 60_000): Promise<{ readonly tookMs: number }> =>
  eventually(async () => {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(reject, PATIENCE_MILLIS, new Error('no answer'));
    });
    try {
      await Promise.race([transfer(port, 1_000), tooLong]);
    } finally {
      clearTimeout(timer);
    }
    // A port without a service refuses at once.
  }, withinMs);
