import { once } from 'node:events';
import { expect } from '@jest/globals';
import {
  startControllerProcess,
  type ControllerProcess,
  type TestController,
} from '../support/controller.js';
import { eventually } from '../support/eventually.js';
import { answers, Flow, RealNetwork, ZITI, ZITI_2, type RealRouter } from './real-network.js';

/* Clients whose bytes flow over one real router, each to a service of its own, while somebody edits. */

export const PATIENCE_MS = 60_000;
const HOST_V1 = 'NH5p4FpGR';

const WITHOUT_MODEL = { OVERGRAPH_ROUTER_CAPABILITIES: 'grouped-channels,jwt-sessions' };
const OVER_OIDC = { OVERGRAPH_OIDC: 'announce' };

/** A router, its clients, and what the controller announces to them. */
export interface Line {
  readonly name: string;
  /** The path of the program of the router. */
  readonly router: string | undefined;
  /** That of its clients. */
  readonly clients: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly isOidc: boolean;
  /** Whether the router follows the data model. */
  readonly hasModel: boolean;
}

const line = (
  name: string,
  [router, clients]: readonly [string | undefined, string | undefined],
  env: Line['env'],
): Line => ({
  name,
  router,
  clients,
  env,
  isOidc: 'OVERGRAPH_OIDC' in env,
  hasModel: env !== WITHOUT_MODEL,
});

export const LINES = [
  line('1.6', [ZITI, ZITI], {}),
  line('1.6 without the data model', [ZITI, ZITI], WITHOUT_MODEL),
  line('1.6 with logins by OpenID Connect', [ZITI, ZITI], OVER_OIDC),
  line('2', [ZITI_2, ZITI], {}),
  line('2 with logins by OpenID Connect', [ZITI_2, ZITI_2], OVER_OIDC),
];

/** Identities enroll with the program of version 1.6. */
export const canRun = ({ router, clients }: Line): boolean =>
  ZITI !== undefined && router !== undefined && clients !== undefined;

/** A client, and the policy that lets it reach its service. */
export interface Client {
  readonly identity: string;
  readonly service: string;
  readonly policy: string;
  /** Of an assignment that gives the identity its role, if nothing else does. */
  readonly assignment: string | undefined;
  readonly port: number;
}

/** A running controller with a real router, a host and clients. */
export class ClientNetwork {
  readonly #clients = new Map<string, Client>();
  /** The process that a crash ends. */
  #running: ControllerProcess;

  private constructor(
    readonly net: RealNetwork,
    readonly line: Line,
    readonly router: RealRouter,
    /** A posture check that no device passes. */
    readonly failingCheck: string,
    private readonly started: ControllerProcess & { dataDir: string },
  ) {
    this.#running = started;
  }

  /** Starts everything; `assigned` names clients whose role an assignment gives. */
  static async open(
    line: Line,
    names: readonly string[],
    assigned: readonly string[] = [],
  ): Promise<ClientNetwork> {
    const controller = await startControllerProcess({ env: { ...line.env } });
    const net = await RealNetwork.open(controller);
    const router = await net.router({ program: line.router });
    const failingCheck = await controller.create('posture-checks', {
      name: 'a device of others',
      typeId: 'MAC',
      macAddresses: ['00:11:22:33:44:55'],
    });
    const network = new ClientNetwork(net, line, router, failingCheck, controller);
    await network.addPolicies();
    const services = await network.addServices(names);
    await network.isServing();
    net.host((await net.identity('hosts')).file, line.clients);
    for (const [name, service] of services) {
      await network.addClient(name, service, assigned.includes(name));
    }
    for (const { port } of network.#clients.values()) await answers(port);
    return network;
  }

  async close(): Promise<void> {
    await this.net.close();
    if (this.controller !== this.started) await this.controller.stop();
    await this.started.stop();
  }

  get controller(): TestController {
    return this.net.controller;
  }

  /** Where the files of the controller are. */
  get dataDir(): string {
    return this.started.dataDir;
  }

  client(name: string): Client {
    const client = this.#clients.get(name);
    if (!client) throw new Error(`no client: ${name}`);
    return client;
  }

  policy(path: string, body: object): Promise<string> {
    const name = this.net.unique('policy');
    return this.controller.create(path, { name, semantic: 'AnyOf', ...body });
  }

  async change(method: string, path: string, body?: object): Promise<void> {
    const { status, text } = await this.controller.rest(method, path, body, lengthOf(body));
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  }

  /** The ids of the API sessions of an identity. */
  async sessionsOf(identity: string): Promise<string[]> {
    const path = `/api-sessions?filter=identity="${identity}"`;
    const { body } = await this.controller.rest('GET', path);
    return (body.data as { id: string }[]).map(({ id }) => id);
  }

  /** The ids of the configs of a service. */
  async configsOf(service: string): Promise<string[]> {
    const { body } = await this.controller.rest('GET', `/services/${service}`);
    return (body.data as { configs: string[] }).configs;
  }

  /** Waits until the router is online with what the controller tells it. */
  async isServing(): Promise<void> {
    await eventually(async () => {
      expect(await this.net.stateOf(this.router)).toMatchObject({
        isOnline: true,
        syncStatus: 'SYNC_DONE',
      });
    }, PATIENCE_MS);
  }

  async onlineSince(): Promise<string | null> {
    const text = 'query ($id: ID!) { edgeRouter(id: $id) { onlineSince } }';
    const { data } = await this.controller.graphql(text, { id: this.router.id });
    return (data as { edgeRouter: { onlineSince: string | null } }).edgeRouter.onlineSince;
  }

  /** The controller crashes. */
  async killController(): Promise<void> {
    const { child } = this.#running;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Another one starts in its place, with the same keys and database. */
  async startController(): Promise<void> {
    if (this.controller !== this.started) await this.controller.stop();
    this.#running = await startControllerProcess({
      port: this.started.port,
      with: this.started,
      env: { ...this.line.env },
    });
    this.net.controller = this.#running;
  }

  /** The controller crashes and starts again; the router connects anew. */
  async restartController(): Promise<void> {
    const before = await this.onlineSince();
    await this.killController();
    await this.startController();
    await eventually(async () => {
      expect([null, before]).not.toContain(await this.onlineSince());
    }, PATIENCE_MS);
    await this.isServing();
  }

  private async addPolicies(): Promise<void> {
    const everyRouter = { edgeRouterRoles: ['#all'] };
    await this.policy('edge-router-policies', { identityRoles: ['#all'], ...everyRouter });
    await this.policy('service-edge-router-policies', { serviceRoles: ['#all'], ...everyRouter });
    await this.policy('service-policies', {
      type: 'Bind',
      identityRoles: ['#hosts'],
      serviceRoles: ['#all'],
    });
  }

  private async addServices(names: readonly string[]): Promise<Map<string, string>> {
    const data = { protocol: 'tcp', address: '127.0.0.1', port: await this.net.echo() };
    const config = { name: 'echo', configTypeId: HOST_V1, data };
    const configs = [await this.controller.create('configs', config)];
    const services = new Map<string, string>();
    for (const name of names) {
      const service = { name: `for-${name}`, configs, encryptionRequired: true };
      services.set(name, await this.controller.create('services', service));
    }
    return services;
  }

  private async addClient(name: string, service: string, isAssigned: boolean): Promise<void> {
    const { net, controller } = this;
    const { file, id } = await net.identity(isAssigned ? 'others' : name);
    const assignment = isAssigned
      ? await controller.create('role-assignments', { identityId: id, roleAttribute: name })
      : undefined;
    const policy = await this.policy('service-policies', {
      type: 'Dial',
      identityRoles: [`#${name}`],
      serviceRoles: [`@${service}`],
    });
    const port = await net.dial(file, `for-${name}`, this.line.clients);
    this.#clients.set(name, { identity: id, service, policy, assignment, port });
  }
}

/** For some methods it is left out unless it is said. */
const lengthOf = (body: object | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(JSON.stringify(body))) };

/** Waits until more bytes have come back. */
export async function goesOn(flow: Flow): Promise<void> {
  const { received } = flow;
  await eventually(() => {
    expect(flow.isCut || flow.received > received + 300_000).toBe(true);
  }, PATIENCE_MS);
  expect(flow.isCut).toBe(false);
}

/** Bytes that flow already. */
export async function flowing(port: number): Promise<Flow> {
  const flow = new Flow(port);
  await goesOn(flow);
  return flow;
}
