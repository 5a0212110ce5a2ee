import { connect, type TLSSocket } from 'node:tls';
import type { KeyObject } from 'node:crypto';
import { CONTENT, HEADER } from '../../src/network/control/content-types.js';
import {
  encodeFrame,
  FRAME_LIMITS,
  FrameReader,
  type Frame,
  type Headers,
} from '../../src/network/control/frame.js';
import {
  boolValue,
  readBool,
  readUint32,
  textValue,
  uint32Value,
} from '../../src/network/control/header-values.js';
import type { Codec, Encodable } from '../../src/network/messages/codec.js';
import { messages } from '../../src/network/messages/emitted/messages.js';
import { newCsr, newKey } from '../trust/auth/certificates.js';
import type { TestController } from './controller.js';

/* A router that acts as a test says: real TLS, and the frames of its protocol. */

export interface EnrolledRouter {
  readonly id: string;
  readonly name: string;
  readonly cert: string;
  readonly key: string;
}

let count = 0;

/** Creates a router and enrolls it. */
export async function enrollRouter(
  controller: TestController,
  input: Record<string, unknown> = {},
): Promise<EnrolledRouter> {
  const name = `test-router-${String((count += 1))}`;
  const id = await controller.create('edge-routers', { name, ...input });
  return { id, name, ...(await enrollAgain(controller, id)) };
}

/** Enrolls a router that has an open enrollment. */
export async function enrollAgain(
  controller: TestController,
  id: string,
): Promise<Pick<EnrolledRouter, 'cert' | 'key'>> {
  const { body } = await controller.rest('GET', `/edge-routers/${id}`);
  const { enrollmentToken: token } = body.data as { enrollmentToken: string };
  const key: KeyObject = newKey();
  const csr = await newCsr(key, `CN=${id}`);
  const answer = await controller.rest(
    'POST',
    `/edge/client/v1/enroll?method=erott&token=${token}`,
    {
      certCsr: csr,
      serverCertCsr: csr,
    },
  );
  if (answer.status !== 200) throw new Error(`enroll: ${answer.text}`);
  const { cert } = answer.body.data as { cert: string };
  return { cert, key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

export interface Hello {
  readonly id: string;
  readonly version?: string;
  readonly headers?: Headers;
}

/** Gives frames from the pieces in which they arrive. */
export type FrameSource = Pick<FrameReader, 'push' | 'next'>;

/** A group of connections, as the answer to the first hello names it. */
export interface Group {
  readonly id: Buffer;
  readonly secret: Buffer;
}

export interface GroupedHello {
  readonly type?: 'ctrl.default' | 'ctrl.high';
  readonly isFirst?: boolean;
  readonly group?: Group;
}

/** The version and headers in the hello of a router of version 2. */
export function helloOfVersion2({
  type = 'ctrl.default',
  isFirst = true,
  group,
}: GroupedHello = {}): Required<Omit<Hello, 'id'>> {
  const headers = new Map([
    [7, textValue(type)],
    [9, boolValue(true)],
    [1002, Buffer.from([2])],
  ]);
  if (isFirst) headers.set(11, boolValue(true));
  if (group) headers.set(HEADER.connectionId, group.id).set(10, group.secret);
  return { version: 'v2.0.3|abc|2026-01-01|linux|amd64', headers };
}

/** The group in an answer to a hello. */
export function groupIn({ headers }: Frame): Group {
  const [id, secret] = [headers.get(HEADER.connectionId), headers.get(10)];
  if (!id || !secret) throw new Error('the answer names no group');
  return { id, secret };
}

const VERSION = 'v1.6.20|abc|2026-01-01|linux|amd64';

/** The first frame of a router. */
export const helloFrame = ({ id, version = VERSION, headers = new Map() }: Hello): Buffer =>
  encodeFrame({
    type: CONTENT.hello,
    sequence: -1,
    headers: new Map([[HEADER.version, textValue(version)], ...headers]),
    body: textValue(id),
  });

/** A TLS connection as routers make it. */
export const connectTls = (
  port: number,
  certificate: Partial<Pick<EnrolledRouter, 'cert' | 'key'>> = {},
  protocols: string[] = ['ziti-ctrl'],
): TLSSocket =>
  connect({
    host: '127.0.0.1',
    port,
    servername: 'localhost',
    rejectUnauthorized: false,
    ALPNProtocols: protocols,
    ...certificate,
  });

export class TestRouter {
  /** The frames that came and were not asked for yet. */
  readonly received: Frame[] = [];
  /** Whether it answers heartbeats, pings and the questions of `answers`. */
  isAnswering = true;
  readonly closed: Promise<void>;
  /** Called with each frame; an answer that it gives is not kept in `received`. */
  onFrame: (frame: Frame) => boolean = () => false;
  readonly #listeners = new Set<() => void>();
  #sequence = 0;
  #isClosed = false;

  private constructor(
    readonly id: string,
    readonly socket: TLSSocket,
    reader: FrameSource,
  ) {
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isClosed = true;
        this.wake();
        resolve();
      });
    });
    socket.on('data', (piece: Buffer) => {
      reader.push(piece);
      for (let frame = reader.next(); frame; frame = reader.next()) this.receive(frame);
    });
  }

  /** Connects and says hello; gives the router with the answer to the hello in `received`. */
  static open(
    port: number,
    router: Pick<EnrolledRouter, 'id'> & Partial<EnrolledRouter>,
  ): TestRouter;
  static open(
    port: number,
    router: EnrolledRouter,
    hello: Partial<Hello>,
    reader?: FrameSource,
  ): TestRouter;
  static open(
    port: number,
    { id, cert, key }: Pick<EnrolledRouter, 'id'> & Partial<EnrolledRouter>,
    hello: Partial<Hello> = {},
    // Routers take a body of any size.
    reader: FrameSource = new FrameReader({ ...FRAME_LIMITS, bodyBytes: 1 << 30 }),
  ): TestRouter {
    const certificate = cert === undefined || key === undefined ? {} : { cert, key };
    const router = new TestRouter(id, connectTls(port, certificate), reader);
    router.socket.write(helloFrame({ id, ...hello }));
    return router;
  }

  /** Connects a router that the controller accepts. */
  static async connect(
    port: number,
    enrolled: EnrolledRouter,
    hello: Partial<Hello> = {},
  ): Promise<TestRouter> {
    const router = TestRouter.open(port, enrolled, hello);
    const answer = await router.next(CONTENT.result);
    if (!isSuccess(answer)) throw new Error(`hello: ${answer.body.toString()}`);
    return router;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(type: number, body: Buffer = Buffer.alloc(0), headers: Headers = new Map()): number {
    this.#sequence += 1;
    this.socket.write(encodeFrame({ type, sequence: this.#sequence, headers, body }));
    return this.#sequence;
  }

  tell<T>(type: number, codec: Codec<T>, message: Encodable<T>, headers?: Headers): number {
    return this.send(type, codec.encode(message), headers);
  }

  answer(to: Frame, type: number, body?: Buffer, headers: Headers = new Map()): void {
    this.send(type, body, new Map([[HEADER.replyFor, uint32Value(to.sequence)], ...headers]));
  }

  /** Sends a frame and gives the answer to it. */
  async ask(type: number, body?: Buffer, headers?: Headers): Promise<Frame> {
    const sequence = this.send(type, body, headers);
    return this.take((frame) => readUint32(frame.headers.get(HEADER.replyFor)) === sequence);
  }

  /** Takes the next frame of a type from those received, or waits for it. */
  next(type: number): Promise<Frame> {
    return this.take((frame) => frame.type === type);
  }

  async take(isWanted: (frame: Frame) => boolean, withinMillis = 120_000): Promise<Frame> {
    const begin = Date.now();
    for (;;) {
      const at = this.received.findIndex(isWanted);
      if (at >= 0) return this.received.splice(at, 1)[0] as Frame;
      const left = begin + withinMillis - Date.now();
      if (this.#isClosed) throw new Error('the connection was closed');
      if (left <= 0) throw new Error('the frame did not come');
      await this.waitForNews(left);
    }
  }

  /** Says which address clients reach it at, as an answer to the controller's greeting. */
  async introduce(port = 3022): Promise<void> {
    const greeting = await this.next(CONTENT.serverHello);
    const body = messages.ClientHello.encode({
      version: 'v1.6.20',
      hostname: 'router.example',
      protocols: ['tls'],
      listeners: [{ advertise: { protocol: 'tls', hostname: 'router.example', port } }],
    });
    this.answer(greeting, CONTENT.clientHello, body);
  }

  close(): Promise<void> {
    this.socket.destroy();
    return this.closed;
  }

  private receive(frame: Frame): void {
    const heartbeat = frame.headers.get(HEADER.heartbeat);
    if (heartbeat && this.isAnswering) {
      this.send(CONTENT.heartbeat, undefined, new Map([[HEADER.heartbeatAnswer, heartbeat]]));
    }
    if (!this.onFrame(frame)) this.received.push(frame);
    this.wake();
  }

  private wake(): void {
    for (const listener of this.#listeners) listener();
  }

  private waitForNews(withinMillis: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMillis);
      this.#listeners.add(done);
    });
  }
}

export const isSuccess = ({ headers }: Frame): boolean => readBool(headers.get(HEADER.success));
