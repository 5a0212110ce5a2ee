import { newId } from '../../src/base/ids.js';
import { CONTENT } from '../../src/network/control/content-types.js';
import { messages } from '../../src/network/messages/emitted/messages.js';
import type { Frame } from '../../src/network/control/frame.js';
import { readText, textValue } from '../../src/network/control/header-values.js';
import { isSuccess } from '../support/test-router.js';
import { connectAll } from './connect-routers.js';
import {
  API_SESSION,
  type ConnectOrder,
  type Connected,
  type FullState,
  type FullStateOrder,
  type HostOrder,
  type Sample,
  type SimulatedRouters,
} from './routers-order.js';
import { SimulatedRouter } from './simulated-router.js';

/** The header of a request for a circuit, and of its answer. */
const CIRCUIT_HEADER = { sessionToken: 11, apiSessionToken: 14, circuitId: 11 } as const;
/** The header with the part of a full state. */
const PART = 1014;

/** A circuit that some routers have. */
interface RoutedCircuit {
  readonly routes: Frame[];
  left: number;
  onEnd: () => void;
}

/** A frame about API sessions, and when it came. */
export interface SessionFrame {
  readonly type: number;
  readonly body: Buffer;
  readonly at: number;
}

/** The simulated routers at one server: the controller or the floor. */
export class SimulatedNetwork {
  readonly #routers = new Map<number, SimulatedRouter>();
  readonly #circuits = new Map<string, RoutedCircuit>();
  /** Called with the frames about API sessions. */
  onSessions: (frame: SessionFrame) => void = () => undefined;
  /** Called with the whole model, and with each set of changes. */
  onModel: (frame: Frame) => void = () => undefined;

  constructor(
    private readonly port: number,
    private readonly enrolled: SimulatedRouters,
  ) {}

  /** The routers that are connected. */
  get routers(): SimulatedRouter[] {
    return [...this.#routers.values()].filter(({ isClosed }) => !isClosed);
  }

  async connect(order: ConnectOrder): Promise<Connected> {
    await Promise.all(
      [...this.#routers].map(async ([place, router]) => {
        if (place >= order.from && place < order.to) await router.close();
      }),
    );
    const { isAgain, getsSessions } = order;
    const connected = await connectAll(order, this.enrolled.routers, {
      connect: (place, links) => this.connectOne(place, { isAgain, getsSessions, links }),
      report: (place, links) => {
        this.router(place).reportLinks(links);
      },
    });
    // Frames of a router are worked on in their order.
    await Promise.all(this.routers.map((router) => router.ask(CONTENT.ping)));
    return connected;
  }

  /** Hosts the service of a session at a router. */
  async host({ router, sessionToken }: HostOrder): Promise<null> {
    await createTerminator(this.router(router), sessionToken, newId());
    return null;
  }

  /** Makes a circuit and ends it; gives the time at which the client had it. */
  async makeCircuit(sessionToken: string): Promise<number> {
    const answer = await this.dial(sessionToken);
    const createdAt = performance.now();
    await this.end(answer);
    return createdAt;
  }

  async sample(sessionToken: string): Promise<Sample> {
    const answer = await this.dial(sessionToken);
    const { routes } = this.circuit(circuitIdOf(answer));
    const sample = { answer: sortedKeys(answer), routes: routes.map(shapeOf).sort() };
    await this.end(answer);
    return sample;
  }

  /** Creates a terminator and removes it; gives the time at which it was created. */
  async makeTerminator(sessionToken: string): Promise<number> {
    const router = this.router(0);
    const id = newId();
    await createTerminator(router, sessionToken, id);
    const createdAt = performance.now();
    const body = messages.RemoveTerminatorsRequest.encode({ terminatorIds: [id] });
    const removed = await router.ask(CONTENT.removeTerminators, body);
    if (!isSuccess(removed)) throw new Error('a terminator was not removed');
    return createdAt;
  }

  /** Connects the first router anew; gives the time from its hello to the last API session. */
  async fullState({ isCounted }: FullStateOrder): Promise<FullState> {
    await this.#routers.get(0)?.close();
    const bodies: Buffer[] = [];
    const began = performance.now();
    const millis = await new Promise<number>((resolve, reject) => {
      const onFrame = ({ type, headers, body }: Frame): void => {
        if (type !== CONTENT.apiSessionAdded) return;
        if (isCounted) bodies.push(body);
        const { isLast } = JSON.parse(readText(headers.get(PART))) as { isLast: boolean };
        if (isLast) resolve(performance.now() - began);
      };
      this.connectOne(0, { isAgain: false, getsSessions: true, onFrame }).catch(reject);
    });
    const counts = bodies.map((body) => messages.ApiSessionAdded.decode(body).apiSessions.length);
    return { millis, sessions: counts.reduce((sum, count) => sum + count, 0) };
  }

  private async connectOne(
    place: number,
    how: {
      readonly isAgain: boolean;
      readonly getsSessions: boolean;
      readonly links?: Buffer | undefined;
      readonly onFrame?: (frame: Frame) => void;
    },
  ): Promise<number> {
    const enrolled = this.enrolled.routers[place];
    if (!enrolled) throw new Error(`there is no router ${String(place)}`);
    const { router, attempts } = await SimulatedRouter.connect({
      onFrame: (frame) => {
        this.receive(frame);
      },
      ...how,
      port: this.port,
      enrolled: { ...enrolled, key: this.enrolled.key },
    });
    // Its hello is answered before the controller forgets the links of a router that is new.
    if (!how.isAgain) await router.ask(CONTENT.ping);
    this.#routers.set(place, router);
    return attempts;
  }

  private async dial(sessionToken: string): Promise<Frame> {
    const headers = new Map([
      [CIRCUIT_HEADER.sessionToken, textValue(sessionToken)],
      [CIRCUIT_HEADER.apiSessionToken, textValue(API_SESSION.dial)],
    ]);
    const answer = await this.router(0).ask(CONTENT.createCircuit, undefined, headers);
    if (answer.type !== CONTENT.createCircuitResult) throw new Error(answer.body.toString());
    return answer;
  }

  /** Ends a circuit; resolves when all of its routers have dropped it. */
  private async end(answer: Frame): Promise<void> {
    const id = circuitIdOf(answer);
    const circuit = this.circuit(id);
    const ended = new Promise<void>((resolve) => (circuit.onEnd = resolve));
    this.router(0).tell(CONTENT.fault, messages.Fault, { subject: 'IngressFault', id });
    await ended;
  }

  private router(place: number): SimulatedRouter {
    const router = this.#routers.get(place);
    if (!router) throw new Error(`router ${String(place)} is not connected`);
    return router;
  }

  private circuit(id: string): RoutedCircuit {
    const circuit = this.#circuits.get(id);
    if (!circuit) throw new Error('no router has the circuit');
    return circuit;
  }

  private receive(frame: Frame): void {
    switch (frame.type) {
      case CONTENT.route:
        this.routed(messages.Route.decode(frame.body).circuitId, frame);
        break;
      case CONTENT.unroute:
        this.unrouted(messages.Unroute.decode(frame.body).circuitId);
        break;
      case CONTENT.apiSessionUpdated:
      case CONTENT.apiSessionRemoved:
        this.onSessions({ type: frame.type, body: frame.body, at: performance.now() });
        break;
      case CONTENT.dataModel:
      case CONTENT.dataModelChangeSet:
        this.onModel(frame);
        break;
    }
  }

  private routed(id: string, frame: Frame): void {
    const circuit = this.#circuits.get(id) ?? { routes: [], left: 0, onEnd: () => undefined };
    circuit.routes.push(frame);
    circuit.left += 1;
    this.#circuits.set(id, circuit);
  }

  private unrouted(id: string): void {
    const circuit = this.#circuits.get(id);
    if (!circuit) return;
    circuit.left -= 1;
    if (circuit.left > 0) return;
    this.#circuits.delete(id);
    circuit.onEnd();
  }
}

async function createTerminator(
  router: SimulatedRouter,
  sessionToken: string,
  address: string,
): Promise<void> {
  const apiSessionToken = API_SESSION.host;
  const message = { sessionToken, apiSessionToken, address };
  const request = messages.CreateTerminatorV2Request.encode(message);
  const { body } = await router.ask(CONTENT.createTerminator, request);
  const { result, msg } = messages.CreateTerminatorV2Response.decode(body);
  if (result !== 'Success') throw new Error(msg);
}

const circuitIdOf = ({ headers }: Frame): string => readText(headers.get(CIRCUIT_HEADER.circuitId));

const sortedKeys = ({ headers }: Frame): number[] => [...headers.keys()].sort((a, b) => a - b);

/** The part of a router in a circuit, without ids. */
function shapeOf({ body }: Frame): string {
  const { egress, forwards, tags } = messages.Route.decode(body);
  const types = forwards.map(({ dstType }) => dstType);
  return [...types, egress?.binding ?? '', ...Object.keys(tags).sort()].join(' ');
}
