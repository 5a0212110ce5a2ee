import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { ApiError } from '../../base/errors.js';
import {
  answerHeaders,
  boolValue,
  CONTENT,
  decodeFrame,
  encodeFrame,
  HEADER,
  textValue,
  type Frame,
  type Headers,
} from '../../network/control/index.js';
import {
  readStreamRequest,
  type LiveEvent,
  type LiveEvents,
  type LiveStream,
  type Subscription,
} from '../../network/events/index.js';
import { messages, type TogglePipeTracesRequest } from '../../network/messages/index.js';
import {
  keepAlive,
  MessageGate,
  type GraphQuery,
  type Results,
  type RunMessage,
} from '../../graph/index.js';
import type { RequestLimits } from '../../requests/limits/index.js';
import { answerInspection, refusedInspection, UNREADABLE } from './serve-inspection.js';
import { serveValidation } from './serve-validation.js';
import { readTracesRequest, traceBody } from './trace-frames.js';
import { readValidationRequest, type ValidationRequest } from './validation-request.js';

export interface ManagementConnectionOptions {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  /** Resolves when no check of the caller runs; rejects when the caller may not continue. */
  readonly checked: () => Promise<void>;
  readonly limits: RequestLimits;
  readonly liveEvents: LiveEvents;
  /** Starts a subscription of the graph for the caller; `onStalled` is called when it is cut off. */
  readonly subscribe: (query: GraphQuery, onStalled: () => void) => Promise<Results>;
  readonly runMessage: RunMessage;
  readonly onUnknownType: (name: string) => void;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

/** The same as on the WebSocket of the graph. */
export const MAX_MESSAGE_BYTES = 256 * 1024;
const LIMITS = { headerBytes: MAX_MESSAGE_BYTES, bodyBytes: MAX_MESSAGE_BYTES };
/** A client that does not read what was sent to it is disconnected after this time. */
const SEND_MILLIS = 30_000;
/** The length of names and texts that repeat what the client sent. */
const MAX_TEXT_LENGTH = 500;

const STREAM_EVENTS = 10040;
const STREAM_EVENT = 10041;
const EVENT_TYPE = 10;
const TOGGLE_TRACES = 10044;
const STREAM_TRACES = 10046;
const STREAM_TRACE = 10047;
const INSPECT = 10048;
const VALIDATE_DIALERS = 10122;

/** Reasons for the end of a socket (RFC 6455 7.4.1). */
const PROTOCOL_ERROR = 1002;
const UNSUPPORTED_DATA = 1003;
const NOT_PERMITTED = 1008;
const INTERNAL_ERROR = 1011;

/**
 * One connection of the management channel: each message is one frame, as on the control channel of
 * routers, without a hello. It serves pings, validations, one inspection at a time, and at most one stream of
 * events and one of traces.
 */
export class ManagementConnection {
  readonly #gate: MessageGate;
  #sequence = 0;
  #stream: LiveStream | undefined;
  #traces: LiveStream | undefined;
  readonly #validations = new Set<Results>();
  #isInspecting = false;

  constructor(private readonly options: ManagementConnectionOptions) {
    const { socket, limits, onUnexpected } = options;
    this.#gate = new MessageGate(limits, socket, onUnexpected);
    const stopPinging = keepAlive(socket);
    // The close event that follows is handled below.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      stopPinging();
      this.closeStreams();
      for (const results of this.#validations) void results.return?.();
    });
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.receive(data, isBinary);
    });
  }

  /** Ends the connection: its session has ended, or has lost the permission. */
  end(): void {
    this.close(NOT_PERMITTED, 'the session may not watch any more');
  }

  private close(code: number, reason: string): void {
    this.closeStreams();
    this.options.socket.close(code, reason);
  }

  private closeStreams(): void {
    this.#stream?.close();
    this.#stream = undefined;
    this.#traces?.close();
    this.#traces = undefined;
  }

  private receive(data: Buffer, isBinary: boolean): void {
    const { socket, request } = this.options;
    if (socket.readyState !== socket.OPEN) return;
    if (!isBinary) {
      this.close(UNSUPPORTED_DATA, 'a message is text');
      return;
    }
    if (!this.#gate.admits(data, request, false)) return;
    let frame: Frame;
    try {
      frame = decodeFrame(data, LIMITS);
    } catch {
      this.close(PROTOCOL_ERROR, 'a message is not one frame');
      return;
    }
    this.dispatch(frame);
  }

  /** Drops frames of unknown types, as the public controller does. */
  private dispatch(frame: Frame): void {
    if (frame.type === CONTENT.ping) this.result(frame, true);
    else if (frame.type === STREAM_EVENTS) void this.startStream(frame);
    else if (frame.type === STREAM_TRACES) this.streamTraces(frame);
    else if (frame.type === TOGGLE_TRACES) void this.toggleTraces(frame);
    else if (frame.type === INSPECT) void this.inspect(frame);
    else if (frame.type === VALIDATE_DIALERS) this.validateDialers(frame);
    else this.startValidation(frame);
  }

  /** Opens a stream of traces instead of an earlier one; the request has no other answer. */
  private streamTraces(frame: Frame): void {
    let subscription: Subscription;
    try {
      subscription = readTracesRequest(frame.body);
    } catch {
      this.result(frame, false, UNREADABLE);
      return;
    }
    this.#traces?.close();
    this.#traces = this.options.liveEvents.open([subscription], {
      deliver: (traces) => this.sendTraces(traces),
      onEnd: () => {
        this.options.socket.terminate();
      },
    });
    this.#traces.ready.catch(() => {
      this.close(INTERNAL_ERROR, 'traces can not be streamed now');
    });
  }

  /** Resolves when the traces are sent. */
  private async sendTraces(traces: readonly LiveEvent[]): Promise<void> {
    await this.options.checked();
    await this.send(traces.map(({ text }) => this.frame(STREAM_TRACE, traceBody(text))));
  }

  private async toggleTraces(frame: Frame): Promise<void> {
    let toggle: TogglePipeTracesRequest;
    try {
      toggle = messages.TogglePipeTracesRequest.decode(frame.body);
    } catch {
      this.result(frame, false, UNREADABLE);
      return;
    }
    try {
      const { isSuccess, text } = await this.options.liveEvents.toggleTraces(toggle);
      this.result(frame, isSuccess, text);
    } catch (error) {
      this.result(frame, false, this.refusalText(error));
    }
  }

  /** Routers dial controllers, not the other way round: there is nothing to validate. */
  private validateDialers(frame: Frame): void {
    const body = messages.ValidateRoutersResponse.encode({ success: true });
    void this.answer(frame, VALIDATE_DIALERS + 1, body);
  }

  /** An answer may be large: the next request waits until the client has read it. */
  private async inspect(frame: Frame): Promise<void> {
    if (this.#isInspecting) {
      void this.answer(frame, INSPECT + 1, refusedInspection('another inspection runs'));
      return;
    }
    this.#isInspecting = true;
    const { request, runMessage } = this.options;
    const body = await answerInspection(frame.body, {
      run: (query) => runMessage(request, query),
      textOf: (error) => this.refusalText(error),
    });
    await this.answer(frame, INSPECT + 1, body);
    this.#isInspecting = false;
  }

  private startValidation(frame: Frame): void {
    let request: ValidationRequest | undefined;
    try {
      request = readValidationRequest(frame);
    } catch {
      this.close(PROTOCOL_ERROR, 'a message can not be read');
      return;
    }
    if (request) void this.validate(frame, request);
  }

  private async validate(frame: Frame, request: ValidationRequest): Promise<void> {
    let results: Results | undefined;
    await serveValidation(request, {
      start: async (query) => {
        results = await this.options.subscribe(query, () => {
          this.options.socket.terminate();
        });
        this.#validations.add(results);
        return results;
      },
      answer: (type, body) => this.answer(frame, type, body),
      tell: (type, body) => this.send([this.frame(type, body)]),
      textOf: (error) => this.refusalText(error),
      abort: () => {
        this.close(INTERNAL_ERROR, 'the validation was ended');
      },
    });
    if (results) this.#validations.delete(results);
  }

  private async startStream(frame: Frame): Promise<void> {
    const { onUnknownType } = this.options;
    try {
      const subscriptions = readStreamRequest(frame.body.toString(), (name) => {
        onUnknownType(name.slice(0, MAX_TEXT_LENGTH));
      });
      await this.openStream(subscriptions);
      this.result(frame, true, 'success');
    } catch (error) {
      this.result(frame, false, this.refusalText(error));
    }
  }

  private refusalText(error: unknown): string {
    if (!(error instanceof ApiError)) this.options.onUnexpected(error, '');
    return textOf(error).slice(0, MAX_TEXT_LENGTH);
  }

  /** Opens a stream of events instead of an earlier one. */
  private async openStream(subscriptions: readonly Subscription[]): Promise<void> {
    const { liveEvents, socket } = this.options;
    this.#stream?.close();
    const stream = liveEvents.open(subscriptions, {
      deliver: async (events) => {
        // The answer to the request comes first.
        await stream.ready;
        await this.sendEvents(events);
      },
      onEnd: () => {
        socket.terminate();
      },
    });
    this.#stream = stream;
    try {
      await stream.ready;
    } catch (error) {
      stream.close();
      throw error;
    }
  }

  /** Resolves when the events are sent. */
  private async sendEvents(events: readonly LiveEvent[]): Promise<void> {
    await this.options.checked();
    const frames = events.map(({ type, text }) =>
      this.frame(STREAM_EVENT, textValue(text), new Map([[EVENT_TYPE, textValue(type)]])),
    );
    await this.send(frames);
  }

  private result(to: Frame, isSuccess: boolean, text = ''): void {
    const success = [HEADER.success, boolValue(isSuccess)] as const;
    const headers = new Map([...answerHeaders(to), success]);
    void this.send([this.frame(CONTENT.result, textValue(text), headers)]);
  }

  /** Resolves when the answer is sent. */
  private answer(to: Frame, type: number, body: Buffer): Promise<void> {
    return this.send([this.frame(type, body, new Map(answerHeaders(to)))]);
  }

  private frame(type: number, body: Buffer, headers: Headers = new Map()): Buffer {
    this.#sequence += 1;
    return encodeFrame({ type, sequence: this.#sequence, headers, body });
  }

  /** Resolves when all frames are sent; a client that does not read them in time is disconnected. */
  private send(frames: readonly Buffer[]): Promise<void> {
    const { socket } = this.options;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        socket.terminate();
      }, SEND_MILLIS);
      const isSent = (): void => {
        clearTimeout(timer);
        resolve();
      };
      for (const [i, frame] of frames.entries()) {
        socket.send(frame, i === frames.length - 1 ? isSent : () => undefined);
      }
    });
  }
}

/** The cause of a refusal: the client has the context. */
function textOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'an unhandled error occurred';
  return error.detail && 'message' in error.detail ? error.detail.message : error.message;
}
