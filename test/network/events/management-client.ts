import { once } from 'node:events';
import { expect } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import {
  decodeFrame,
  encodeFrame,
  FRAME_LIMITS,
  type Frame,
} from '../../../src/network/control/frame.js';
import { readBool, readText, readUint32 } from '../../../src/network/control/header-values.js';
import {
  messages,
  type ChannelTrace,
  type InspectNodesResponse,
  type ValidateRoutersResponse,
} from '../../../src/network/messages/emitted/messages.js';
import { eventually } from '../../support/eventually.js';

export const STREAM_EVENTS = 10040;
const STREAM_EVENT = 10041;
export const TOGGLE_TRACES = 10044;
export const STREAM_TRACES = 10046;
const STREAM_TRACE = 10047;
export const INSPECT = 10048;

/** An event as it comes. */
export interface Delivered {
  /** The value of header 10. */
  readonly type: string;
  readonly text: string;
  readonly event: Readonly<Record<string, unknown>>;
}

export interface Result {
  readonly isSuccess: boolean;
  readonly text: string;
}

export interface Validation {
  readonly answer: ValidateRoutersResponse;
  readonly results: Frame[];
}

const urlOf = (port: number): string => `wss://127.0.0.1:${String(port)}/fabric/v1/ws-api`;

/** Tries to connect, and gives the refusal. */
export async function refusalOf(
  port: number,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  const socket = new WebSocket(urlOf(port), { rejectUnauthorized: false, headers });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, body: JSON.parse(text) as unknown };
}

function deliveredIn({ headers, body }: Frame): Delivered {
  const text = body.toString();
  const event = JSON.parse(text) as Delivered['event'];
  return { type: readText(headers.get(10)), text, event };
}

function hasMembers(value: unknown, members: object): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(members).every(([name, wanted]: [string, unknown]) => {
    const given: unknown = Reflect.get(value, name);
    return typeof wanted === 'object' && wanted !== null
      ? hasMembers(given, wanted)
      : given === wanted;
  });
}

/** A client of the management channel. */
export class ManagementClient {
  readonly frames: Frame[] = [];
  /** Read once, as they come: a test may look at many large ones again and again. */
  readonly events: Delivered[] = [];
  readonly traces: ChannelTrace[] = [];
  closeCode: number | undefined;
  #sequence = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const frame = decodeFrame(data, FRAME_LIMITS);
      if (frame.type === STREAM_EVENT) this.events.push(deliveredIn(frame));
      else if (frame.type === STREAM_TRACE) {
        this.traces.push(messages.ChannelTrace.decode(frame.body));
      } else this.frames.push(frame);
    });
    socket.on('close', (code) => {
      this.closeCode = code;
    });
    socket.on('error', () => undefined);
  }

  static connect(
    port: number,
    headers: Readonly<Record<string, string>>,
  ): Promise<ManagementClient> {
    return ManagementClient.over(
      new WebSocket(urlOf(port), { rejectUnauthorized: false, headers }),
    );
  }

  /** Waits until the socket is open. */
  static async over(socket: WebSocket): Promise<ManagementClient> {
    const client = new ManagementClient(socket);
    await once(socket, 'open');
    return client;
  }

  /** Sends a frame and gives its sequence. */
  tell(type: number, body: string | Buffer = '', headers: Frame['headers'] = new Map()): number {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.socket.send(encodeFrame({ type, sequence, headers, body: bytes }));
    return sequence;
  }

  /** Sends a request to validate, and gives its answer with as many results as that says. */
  async validate(type: number, body: Buffer): Promise<Validation> {
    this.frames.length = 0;
    const value = messages.ValidateRoutersResponse.decode((await this.answered(type, body)).body);
    const { value: results } = await eventually(() => {
      const all = this.frames.filter(({ type: resultType }) => resultType === type + 2);
      expect(all).toHaveLength(value.count);
      return all;
    });
    return { answer: value, results };
  }

  /** Asks nodes for values by name. */
  async inspect(
    appRegex: string,
    requestedValues: readonly string[],
  ): Promise<InspectNodesResponse> {
    const request = messages.InspectNodesRequest.encode({ appRegex, requestedValues });
    return messages.InspectNodesResponse.decode((await this.answered(INSPECT, request)).body);
  }

  /** Sends a request and gives its answer, which has the next type. */
  async answered(type: number, body: Buffer): Promise<Frame> {
    return this.answerOfType(type + 1, this.tell(type, body));
  }

  private async answerOfType(type: number, sequence: number): Promise<Frame> {
    const { value } = await eventually(() => {
      const answer = this.answerTo(sequence, type);
      if (!answer) throw new Error('no answer came');
      return answer;
    });
    return value;
  }

  /** Sends a frame and gives the Result that names it. */
  async ask(type: number, body?: string | Buffer): Promise<Result> {
    const value = await this.answerOfType(CONTENT.result, this.tell(type, body));
    const { headers } = value;
    return { isSuccess: readBool(headers.get(HEADER.success)), text: value.body.toString() };
  }

  /** Switches traces on or off. */
  toggleTraces(enable: boolean, appRegex = '.*', pipeRegex = '.*'): Promise<Result> {
    const toggle = { enable, verbosity: 'ReportAll', appRegex, pipeRegex } as const;
    return this.ask(TOGGLE_TRACES, messages.TogglePipeTracesRequest.encode(toggle));
  }

  /** Streams traces; the request has no answer. */
  streamTraces(request: Parameters<typeof messages.StreamTracesRequest.encode>[0] = {}): void {
    this.tell(STREAM_TRACES, messages.StreamTracesRequest.encode(request));
  }

  answerTo(sequence: number, type: number = CONTENT.result): Frame | undefined {
    return this.frames.find(
      (frame) => frame.type === type && readUint32(frame.headers.get(HEADER.replyFor)) === sequence,
    );
  }

  /** Watches types of events, with their options. */
  watch(types: Readonly<Record<string, object | null>>): Promise<Result> {
    const subscriptions = Object.entries(types).map(([type, options]) => ({ type, options }));
    return this.ask(STREAM_EVENTS, JSON.stringify({ format: 'json', subscriptions }));
  }

  /** Waits for an event that has these members, at any depth. */
  async event(members: Readonly<Record<string, unknown>>): Promise<Delivered> {
    const { value } = await eventually(() => {
      const wanted = this.events.find(({ event }) => hasMembers(event, members));
      if (!wanted) throw new Error(`no event has ${JSON.stringify(members)}`);
      return wanted;
    });
    return value;
  }

  /**
   * Waits until the entity with this id was created. A client may also get changes that were made
   * shortly before it asked.
   */
  created(entityType: string, id: string): Promise<Delivered> {
    return this.event({ entityType, eventType: 'created', finalState: { id } });
  }

  end(): void {
    this.socket.terminate();
  }
}
