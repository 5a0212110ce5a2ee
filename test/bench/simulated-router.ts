import { CONTENT, HEADER } from '../../src/network/control/content-types.js';
import type { Codec, Encodable } from '../../src/network/messages/codec.js';
import { messages } from '../../src/network/messages/emitted/messages.js';
import type { Frame, Headers } from '../../src/network/control/frame.js';
import {
  boolValue,
  readUint32,
  textValue,
  uint32Value,
  uint64Value,
} from '../../src/network/control/header-values.js';
import { LightReader } from './light-reader.js';
import { isSuccess, TestRouter, type EnrolledRouter } from '../support/test-router.js';

/** A router that connects, and how it does so. */
export interface RouterSettings {
  readonly port: number;
  readonly enrolled: EnrolledRouter;
  /** It was connected before: it keeps its circuits and links. */
  readonly isAgain: boolean;
  /** Whether it gets the API sessions. */
  readonly getsSessions: boolean;
  /** The body of its report of links, which it sends first. */
  readonly links?: Buffer | undefined;
  /** Called with the frames that are no answer. */
  readonly onFrame: (frame: Frame) => void;
}

/** The headers of a hello, and of the answer to a route. */
const LINK_LISTENERS = 10;
const ROUTE_HEADER = { attempt: 1101, isDone: 1102 } as const;

/** The number in the answer to a hello. */
const HELLO_SEQUENCE = 0xffff_ffff;
const RETRY_MILLIS = 1_000;
const MAX_ATTEMPTS = 60;
const EDGE_PORT = 3022;

/** A router of a test that answers by itself what a controller asks of it. */
export class SimulatedRouter {
  readonly #answers = new Map<number, (answer: Frame) => void>();
  readonly #router: TestRouter;
  /** Resolves with the answer to its hello. */
  readonly #welcome: Promise<Frame>;

  private constructor(private readonly settings: RouterSettings) {
    const { port, enrolled, isAgain } = settings;
    const headers = helloHeaders(enrolled, isAgain);
    this.#router = TestRouter.open(port, enrolled, { headers }, new LightReader());
    this.#router.socket.setNoDelay(true);
    this.#router.onFrame = (frame) => {
      this.receive(frame);
      return true;
    };
    this.#welcome = this.answerTo(HELLO_SEQUENCE);
  }

  /** Connects a router, which tries again when it is not accepted; gives the number of attempts. */
  static async connect(
    settings: RouterSettings,
  ): Promise<{ readonly router: SimulatedRouter; readonly attempts: number }> {
    for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts += 1) {
      const router = new SimulatedRouter(settings);
      if (await router.isAccepted()) {
        if (settings.links) router.reportLinks(settings.links);
        return { router, attempts };
      }
      await router.close();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
    }
    throw new Error('a router was not accepted');
  }

  get isClosed(): boolean {
    return this.#router.isClosed;
  }

  /** Sends a frame and gives the answer to it. */
  ask(type: number, body?: Buffer, headers?: Headers): Promise<Frame> {
    return this.answerTo(this.#router.send(type, body, headers));
  }

  tell<T>(type: number, codec: Codec<T>, message: Encodable<T>): void {
    this.#router.tell(type, codec, message);
  }

  /** Sends a report of links, as an encoded message. */
  reportLinks(links: Buffer): void {
    this.#router.send(CONTENT.routerLinks, links);
  }

  beat(): void {
    const now = uint64Value(process.hrtime.bigint());
    this.#router.send(CONTENT.heartbeat, undefined, new Map([[HEADER.heartbeat, now]]));
  }

  close(): Promise<void> {
    return this.#router.close();
  }

  private async isAccepted(): Promise<boolean> {
    const closed = this.#router.closed.then(() => undefined);
    const answer = await Promise.race([this.#welcome, closed]);
    return answer !== undefined && isSuccess(answer);
  }

  private answerTo(sequence: number): Promise<Frame> {
    return new Promise((resolve) => {
      this.#answers.set(sequence, resolve);
    });
  }

  private receive(frame: Frame): void {
    const sequence = readUint32(frame.headers.get(HEADER.replyFor));
    const answered = sequence === undefined ? undefined : this.#answers.get(sequence);
    if (answered && sequence !== undefined) {
      this.#answers.delete(sequence);
      answered(frame);
      return;
    }
    if (frame.type === CONTENT.serverHello && this.settings.getsSessions) this.introduce(frame);
    this.settings.onFrame(frame);
    if (frame.type === CONTENT.route) this.confirmRoute(frame);
  }

  private introduce(greeting: Frame): void {
    const { name } = this.settings.enrolled;
    const body = messages.ClientHello.encode({
      version: 'v1.6.20',
      hostname: `${name}.example`,
      protocols: ['tls'],
      listeners: [{ advertise: { protocol: 'tls', hostname: `${name}.example`, port: EDGE_PORT } }],
    });
    this.#router.answer(greeting, CONTENT.clientHello, body);
  }

  private confirmRoute(frame: Frame): void {
    const { circuitId, attempt } = messages.Route.decode(frame.body);
    const headers = new Map([
      [ROUTE_HEADER.attempt, uint32Value(attempt)],
      [ROUTE_HEADER.isDone, boolValue(true)],
    ]);
    this.#router.answer(frame, CONTENT.routeResult, textValue(circuitId), headers);
  }
}

function helloHeaders({ name }: EnrolledRouter, isAgain: boolean): Headers {
  const address = `tls:${name}.example:10080`;
  const listeners = messages.Listeners.encode({
    listeners: [{ address, protocol: 'tls', groups: ['default'] }],
  });
  return new Map([
    [LINK_LISTENERS, listeners],
    ...(isAgain ? [[HEADER.connectionId, textValue('earlier')] as const] : []),
  ]);
}
