import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { newId } from '../../base/ids.js';
import { ShortLived } from '../../base/short-lived.js';
import { attach, type RequestNote } from './request-note.js';

/** An ended request. */
export interface EndedRequest {
  readonly note: RequestNote;
  /** The status of the outcome; 499 when the client disconnected before its answer was complete. */
  readonly status: number;
  readonly millis: number;
  /** The answer is a stream, whose duration the client decides. */
  readonly isStream: boolean;
}

/** A listener for the begin and the end of requests. */
export interface RequestWatcher {
  begin?(note: RequestNote, request: IncomingMessage): void;
  end(ended: EndedRequest): void;
}

/** The status of nginx for a client that closed the connection. */
const CLIENT_GONE = 499;

/** Observes every request from its first to its last byte, and calls the watchers. */
export class RequestObserver {
  readonly #open = new ShortLived<ServerResponse>();
  #isClosing = false;

  constructor(
    private readonly watchers: readonly RequestWatcher[],
    /** Runs the work of a request. */
    private readonly run = (_: RequestNote, serve: () => void): void => {
      serve();
    },
  ) {}

  /** Requests that are not answered yet. */
  get open(): number {
    return this.#open.size;
  }

  /** Connections with a request that is not answered yet. */
  get sockets(): (Socket | null)[] {
    return this.#open.all().map(({ socket }) => socket);
  }

  handle(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const note: RequestNote = {
      requestId: newId(),
      method: request.method ?? 'GET',
      address: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
      beganAt: performance.now(),
      door: 'none',
      route: 'none',
      operation: 'none',
      isOver: false,
    };
    attach(request, note);
    response.setHeader('x-request-id', note.requestId);
    if (this.#isClosing) response.shouldKeepAlive = false;
    const place = this.#open.add(response);
    for (const watcher of this.watchers) watcher.begin?.(note, request);
    response.once('close', () => {
      this.#open.remove(place);
      this.end(note, response);
    });
    this.run(note, serve);
  }

  /** Closes every connection after its current answer. */
  closeConnections(): void {
    this.#isClosing = true;
    for (const response of this.#open.all()) response.shouldKeepAlive = false;
  }

  private end(note: RequestNote, response: ServerResponse): void {
    note.isOver = true;
    const isStream = String(response.getHeader('content-type')).startsWith('text/event-stream');
    const isGone = !response.writableFinished && !isStream;
    const ended: EndedRequest = {
      note,
      status: isGone ? CLIENT_GONE : (note.outcome ?? response.statusCode),
      millis: performance.now() - note.beganAt,
      isStream,
    };
    for (const watcher of this.watchers) watcher.end(ended);
  }
}

const SLOW_MILLIS = 1_000;

type Level = 'debug' | 'info' | 'warn' | 'error';

/**
 * The log level of an ended request: `debug` for a success, `error` for a fault of the controller.
 */
export function levelOf({ status, millis, isStream }: Omit<EndedRequest, 'note'>): Level {
  if (status === 500) return 'error';
  // Independent of the duration: the controller did not cause it.
  if (status === CLIENT_GONE) return 'info';
  if (status > 500 || (millis >= SLOW_MILLIS && !isStream)) return 'warn';
  return status >= 400 ? 'info' : 'debug';
}

/** One line for each request. */
export const requestLog = (log: Logger): RequestWatcher => ({
  end(ended) {
    const level = levelOf(ended);
    if (!log.isLevelEnabled(level)) return;
    const { method, route, operation, fields, name, requestId, identityId, address } = ended.note;
    log[level](
      {
        method,
        route,
        operation,
        fields,
        name,
        status: ended.status,
        ms: Math.round(ended.millis * 10) / 10,
        requestId,
        identityId,
        address,
      },
      'request',
    );
  },
});
