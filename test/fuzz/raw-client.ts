import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { WireRequest } from './fuzz-request.js';

/** What came back: an answer, or why there is none. */
export interface Outcome {
  readonly status: number;
  /** In lower case; the last of several. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export class NoAnswer extends Error {}

/** How long an answer is waited for: longer than a request may take. */
const PATIENCE_MILLIS = 60_000;
const LEFT: Outcome = { status: 0, headers: new Map(), text: '' };

/**
 * One kept connection that sends what a client library would not. A request that the server hangs
 * up on, or does not answer, is a `NoAnswer`.
 */
export class RawClient {
  #socket: TLSSocket | undefined;
  #received = '';
  /** The last characters of `#received`, as many as an answer in chunks ends with. */
  #tail = '';
  /** Whether the answer is complete with its last chunk; undefined until its head is complete. */
  #endsWithChunk: boolean | undefined;
  #waiting: { resolve: (outcome: Outcome) => void; reject: (error: Error) => void } | undefined;
  #request: WireRequest | undefined;
  /** What this connection carried before, for the report of a request that it fails. */
  #before = '';

  constructor(
    private readonly port: number,
    /** Some bytes have arrived. */
    private readonly onProgress: () => void,
  ) {}

  async send(request: WireRequest): Promise<Outcome> {
    const socket = await this.connected();
    const head = request.bytes.toString('latin1', 0, 200);
    if (request.isCut) return this.leaveAfter(socket, request);
    this.#received = '';
    this.#tail = '';
    this.#endsWithChunk = undefined;
    this.#request = request;
    const answered = new Promise<Outcome>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    const timer = setTimeout(() => {
      this.fail(`no answer within ${String(PATIENCE_MILLIS)} ms`);
    }, PATIENCE_MILLIS);
    socket.write(request.bytes);
    try {
      const outcome = await answered;
      this.#before = `${String(outcome.status)} to ${String(request.bytes.length)} bytes: ${head}`;
      return outcome;
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  private async leaveAfter(socket: TLSSocket, { bytes }: WireRequest): Promise<Outcome> {
    await new Promise<void>((resolve) => {
      socket.write(bytes, () => {
        resolve();
      });
    });
    this.end();
    return LEFT;
  }

  private async connected(): Promise<TLSSocket> {
    if (this.#socket && !this.#socket.destroyed && this.#socket.writable) return this.#socket;
    const socket = connect({ host: '127.0.0.1', port: this.port, rejectUnauthorized: false });
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      if (socket !== this.#socket) return;
      this.onProgress();
      const text = chunk.toString('latin1');
      this.#received += text;
      this.#tail = (this.#tail + text.slice(-LAST_CHUNK.length)).slice(-LAST_CHUNK.length);
      this.#endsWithChunk ??= endsWithChunk(this.#received, this.#request);
      // A long answer is not read anew at each of its pieces.
      if (!this.#endsWithChunk || this.#tail === LAST_CHUNK) this.take(false);
    });
    const lose = (reason: string): void => {
      if (socket !== this.#socket) return;
      // A head that is refused for its size is answered before all of it has been taken.
      this.take(true);
      if (this.#request?.isMalformed) this.give(LEFT);
      this.fail(reason);
    };
    socket.on('error', (error: Error) => {
      lose(error.message);
    });
    socket.on('close', () => {
      lose('the connection was closed');
    });
    this.#socket = socket;
    this.#before = 'nothing';
    await once(socket, 'secureConnect');
    return socket;
  }

  /** Ends the wait when the answer is complete; closing completes one without a length. */
  private take(isClosed: boolean): void {
    const outcome = readAnswer(this.#received, this.#request, isClosed);
    if (!outcome || !this.#waiting) return;
    const isLast = /close/i.test(outcome.headers.get('connection') ?? '');
    if (isLast || this.#request?.isStream) this.end();
    this.give(outcome);
  }

  private give(outcome: Outcome): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(outcome);
  }

  private fail(reason: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.end();
    waiting?.reject(
      new NoAnswer(`${reason}; received: ${this.#received.slice(0, 300)}; before: ${this.#before}`),
    );
  }
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

function endsWithChunk(received: string, request: WireRequest | undefined): boolean | undefined {
  const end = received.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = received.slice(0, end);
  const isTakenAtOnce =
    request?.isHead === true || /^content-type: text\/event-stream/im.test(head);
  return !isTakenAtOnce && /^transfer-encoding: chunked$/im.test(head);
}

/** The answer, when all of it is here. */
function readAnswer(
  received: string,
  request: WireRequest | undefined,
  isClosed: boolean,
): Outcome | undefined {
  const end = received.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const [first = '', ...lines] = received.slice(0, end).split('\r\n');
  const status = Number(first.split(' ')[1]);
  if (status === 100) {
    return readAnswer(received.slice(end + HEAD_END.length), request, isClosed);
  }
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const rest = received.slice(end + HEAD_END.length);
  const body = bodyOf(rest, headers, status, request, isClosed);
  if (body === undefined) return undefined;
  return { status, headers, text: Buffer.from(body, 'latin1').toString('utf8') };
}

function bodyOf(
  rest: string,
  headers: ReadonlyMap<string, string>,
  status: number,
  request: WireRequest | undefined,
  isClosed: boolean,
): string | undefined {
  if (request?.isHead || status === 204 || status === 304) return '';
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (isEvents) return rest;
  const length = headers.get('content-length');
  if (length !== undefined) {
    return rest.length >= Number(length) ? rest.slice(0, Number(length)) : undefined;
  }
  if (headers.get('transfer-encoding') === 'chunked') return unchunked(rest);
  return isClosed ? rest : undefined;
}

/** Undefined until the last chunk has come. */
function unchunked(text: string): string | undefined {
  let body = '';
  for (let at = 0; ;) {
    const line = text.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(text.slice(at, line), 16);
    if (size === 0)
      return text.endsWith('\r\n\r\n') || text.slice(line).startsWith('\r\n\r\n')
        ? body
        : undefined;
    const begin = line + 2;
    if (text.length < begin + size + 2) return undefined;
    body += text.slice(begin, begin + size);
    at = begin + size + 2;
  }
}
