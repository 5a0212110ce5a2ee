import { CONTENT } from '../../../src/network/control/content-types.js';
import {
  messages,
  type Route,
  type Unroute,
} from '../../../src/network/messages/emitted/messages.js';
import type { Frame } from '../../../src/network/control/frame.js';
import {
  boolValue,
  bytesByNumber,
  readBytesByNumber,
  readText,
  readUint32,
  textValue,
  uint32Value,
} from '../../../src/network/control/header-values.js';
import { startController, type TestController } from '../../support/controller.js';
import { enrollRouter, TestRouter, type EnrolledRouter } from '../../support/test-router.js';

/* A network with a service, those who host and dial it, and routers that route as they are told. */

export interface Person {
  readonly identityId: string;
  readonly apiToken: string;
}

let count = 0;
export const unique = (kind: string): string => `${kind}-${String((count += 1))}`;

const PASSWORD = 'a long password';

export async function newPerson(controller: TestController, attribute: string): Promise<Person> {
  const username = unique('person');
  const identityId = await controller.create('identities', {
    name: username,
    type: 'Default',
    isAdmin: false,
    roleAttributes: [attribute],
  });
  await controller.create('authenticators', {
    method: 'updb',
    identityId,
    username,
    password: PASSWORD,
  });
  return { identityId, apiToken: await controller.login(username, PASSWORD) };
}

export interface ServiceSession {
  readonly id: string;
  readonly token: string;
  /** Of the API session that opened it. */
  readonly apiToken?: string;
}

export async function openSession(
  controller: TestController,
  { apiToken }: Person,
  serviceId: string,
  type: 'Dial' | 'Bind',
): Promise<ServiceSession> {
  const answer = await controller.rest(
    'POST',
    '/edge/client/v1/sessions',
    { serviceId, type },
    { 'zt-session': apiToken },
  );
  if (answer.status !== 201) throw new Error(`session: ${answer.text}`);
  const { id, token } = answer.body.data as ServiceSession;
  return { id, token, apiToken };
}

/** Policies that let hosts host and dialers dial every service over every router. */
export async function openNetwork(controller: TestController): Promise<{ dialPolicyId: string }> {
  const servicePolicy = (type: 'Dial' | 'Bind', role: string) =>
    controller.create('service-policies', {
      name: unique('policy'),
      type,
      semantic: 'AnyOf',
      identityRoles: [role],
      serviceRoles: ['#all'],
    });
  await servicePolicy('Bind', '#hosts');
  const dialPolicyId = await servicePolicy('Dial', '#dialers');
  await controller.create('edge-router-policies', {
    name: unique('policy'),
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#open'],
  });
  await controller.create('service-edge-router-policies', {
    name: unique('policy'),
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  return { dialPolicyId };
}

/** A router that answers routes as a test says, and notes what it is told. */
export class RoutingRouter {
  readonly routes: Route[] = [];
  readonly unroutes: Unroute[] = [];
  /** The answer to each route; undefined: none. */
  onRoute: (route: Route) => RouteReply | undefined = () => ({ isDone: true });

  private constructor(
    readonly enrolled: EnrolledRouter,
    readonly router: TestRouter,
  ) {
    router.onFrame = (frame) => this.receive(frame);
  }

  static async start(
    controller: TestController,
    input: Record<string, unknown> = { roleAttributes: ['open'] },
  ): Promise<RoutingRouter> {
    return RoutingRouter.connect(controller, await enrollRouter(controller, input));
  }

  static async connect(
    controller: TestController,
    enrolled: EnrolledRouter,
    hello: Parameters<typeof TestRouter.connect>[2] = {},
  ): Promise<RoutingRouter> {
    const router = await TestRouter.connect(controller.port, enrolled, hello);
    const routing = new RoutingRouter(enrolled, router);
    await router.introduce();
    return routing;
  }

  get id(): string {
    return this.enrolled.id;
  }

  bind(
    session: ServiceSession,
    terminator: { readonly address: string; readonly [member: string]: unknown },
  ): Promise<Frame> {
    const body = messages.CreateTerminatorV2Request.encode({
      sessionToken: session.token,
      apiSessionToken: session.apiToken,
      ...terminator,
    });
    return this.router.ask(CONTENT.createTerminator, body);
  }

  dial(session: ServiceSession, headers: ReadonlyMap<number, Buffer> = new Map()): Promise<Frame> {
    const { token, apiToken = '' } = session;
    const all = new Map([[11, textValue(token)], [14, textValue(apiToken)], ...headers]);
    return this.router.ask(CONTENT.createCircuit, undefined, all);
  }

  private receive(frame: Frame): boolean {
    if (frame.type === CONTENT.unroute) {
      this.unroutes.push(messages.Unroute.decode(frame.body));
      return true;
    }
    if (frame.type !== CONTENT.route) return false;
    const route = messages.Route.decode(frame.body);
    this.routes.push(route);
    const reply = this.onRoute(route);
    if (!reply) return true;
    const headers = new Map([[1101, uint32Value(route.attempt)], ...(reply.headers ?? [])]);
    if (reply.isDone) headers.set(1102, boolValue(true));
    else
      headers
        .set(1103, textValue(reply.text ?? 'failed'))
        .set(1104, Buffer.from([reply.code ?? 0]));
    this.router.answer(frame, CONTENT.routeResult, textValue(route.circuitId), headers);
    return true;
  }
}

export interface RouteReply {
  readonly isDone: boolean;
  readonly text?: string;
  readonly code?: number;
  readonly headers?: ReadonlyMap<number, Buffer>;
}

export interface Made {
  readonly circuitId: string;
  readonly address: string;
  readonly peerData: Map<number, Buffer>;
}

/** What a client gets of its circuit. */
export function made({ type, headers, body }: Frame): Made {
  if (type !== CONTENT.createCircuitResult) throw new Error(body.toString());
  return {
    circuitId: readText(headers.get(11)),
    address: readText(headers.get(12)),
    peerData: readBytesByNumber(headers.get(10)),
  };
}

/** The code of an error answer. */
export const codeOf = ({ headers }: Frame): number | undefined => readUint32(headers.get(1014));

/** The code and text of a refusal. */
export const refused = ({
  type,
  headers,
  body,
}: Frame): { code: number | undefined; text: string } => {
  if (type !== CONTENT.error) throw new Error('it is no refusal');
  return { code: codeOf({ type, headers, body, sequence: 0 }), text: body.toString() };
};

/** The header with peer data. */
export const peerData = (entries: [number, string][]): Map<number, Buffer> =>
  new Map([[10, bytesByNumber(new Map(entries.map(([key, text]) => [key, textValue(text)])))]]);

/** The latest route that a router was told. */
export const routeOf = (of: RoutingRouter): Route => {
  const route = of.routes.at(-1);
  if (!route) throw new Error('no route came');
  return route;
};

/** A controller with somebody who hosts and somebody who dials, and routers for one test. */
export class Traffic {
  router!: RoutingRouter;
  serviceId = '';
  /** The session to dial the service. */
  dial!: ServiceSession;
  routers: RoutingRouter[] = [];

  private constructor(
    readonly controller: TestController & { readonly dataDir: string },
    readonly host: Person,
    public dialer: Person,
    public dialPolicyId: string,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<Traffic> {
    return Traffic.at(await startController({ env: { OVERGRAPH_WORKERS: '2', ...env } }));
  }

  /** In a new network of this controller. */
  static async at(controller: TestController & { readonly dataDir: string }): Promise<Traffic> {
    const { dialPolicyId } = await openNetwork(controller);
    const host = await newPerson(controller, 'hosts');
    return new Traffic(controller, host, await newPerson(controller, 'dialers'), dialPolicyId);
  }

  /** Makes a router and a service for the next test. */
  async begin(): Promise<void> {
    this.router = await this.newRouter();
    await this.newService();
  }

  async end(): Promise<void> {
    for (const each of this.routers) await each.router.close();
    this.routers = [];
  }

  stop(): Promise<void> {
    return this.controller.stop();
  }

  async newRouter(input?: Record<string, unknown>): Promise<RoutingRouter> {
    const started = await RoutingRouter.start(this.controller, input);
    this.routers.push(started);
    return started;
  }

  async newService(input: Record<string, unknown> = {}): Promise<void> {
    this.serviceId = await this.controller.create('services', {
      name: unique('svc'),
      encryptionRequired: false,
      ...input,
    });
    this.dial = await openSession(this.controller, this.dialer, this.serviceId, 'Dial');
  }

  /** Hosts the service at a router; gives the address of the terminator. */
  async bind(at: RoutingRouter, members: Record<string, unknown> = {}): Promise<string> {
    const address = unique('terminator');
    const session = await openSession(this.controller, this.host, this.serviceId, 'Bind');
    const { body } = await at.bind(session, { address, ...members });
    const { result, msg } = messages.CreateTerminatorV2Response.decode(body);
    if (result !== 'Success') throw new Error(`bind: ${msg}`);
    return address;
  }

  /** Makes a circuit from the first router over a link to another one. */
  async overLink(): Promise<{ other: RoutingRouter; linkId: string; circuitId: string }> {
    const other = await this.newRouter();
    await this.bind(other);
    const linkId = await link(this.router, other);
    const { circuitId } = made(await this.router.dial(this.dial));
    return { other, linkId, circuitId };
  }
}

/** A link that the first router dialed to the second. */
export async function link(from: RoutingRouter, to: RoutingRouter, iteration = 1): Promise<string> {
  const id = unique('link');
  from.router.tell(CONTENT.routerLinks, messages.RouterLinks, {
    links: [{ id, destRouterId: to.id, linkProtocol: 'tls', dialAddress: 'tls:x:1', iteration }],
  });
  // Frames are worked on in their order.
  await from.router.ask(CONTENT.ping);
  return id;
}
