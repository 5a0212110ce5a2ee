import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket, type ClientOptions } from 'ws';

/* Clients of both protocols, as others would write them. */

export interface Event {
  readonly data?: { readonly changes: ChangeEvent } | null;
  readonly errors?: readonly { message: string; extensions: Record<string, unknown> }[];
}

export interface ChangeEvent {
  readonly id: string;
  readonly type: string;
  readonly entityId: string;
}

const CHANGES = `subscription ($types: [String!], $since: ID) {
  changes(types: $types, since: $since) { id type entityId operation actor { name } fields { name after } } }`;

export interface Asked {
  readonly types?: readonly string[];
  readonly since?: string;
}

/** A client of the protocol graphql-transport-ws, by the library that clients use. */
export class SocketClient {
  readonly closes: number[] = [];
  readonly client: Client;

  constructor(
    port: number,
    how: {
      readonly headers?: Record<string, string | string[]>;
      readonly payload?: Record<string, unknown>;
      readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
    },
  ) {
    const options: ClientOptions = {
      ...how.certificate,
      rejectUnauthorized: false,
      // The types of the library lack headers with several values.
      headers: (how.headers ?? {}) as Record<string, string>,
    };
    this.client = createClient({
      url: `wss://127.0.0.1:${String(port)}/graphql`,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocols: string) {
          super(url, protocols, options);
        }
      },
      retryAttempts: 0,
      ...(how.payload ? { connectionParams: how.payload } : {}),
      on: {
        closed: (event) => {
          this.closes.push((event as { code: number }).code);
        },
      },
    });
  }

  /** What comes is collected; the array grows. */
  follow(asked: Asked = {}, query = CHANGES): Collected {
    const events: Event[] = [];
    const collected: { events: Event[]; ended?: unknown; stop: () => void } = {
      events,
      stop: this.client.subscribe(
        { query, variables: { ...asked } },
        {
          next: (result: object) => events.push(result as Event),
          error: (fault: unknown) => {
            collected.ended = fault;
          },
          complete: () => {
            collected.ended ??= 'complete';
          },
        },
      ),
    };
    return collected;
  }
}

export interface Collected {
  readonly events: readonly Event[];
  /** How it ended: `complete`, or the errors. */
  readonly ended?: unknown;
  readonly stop: () => void;
}

/** A client of event streams. */
export class StreamClient {
  readonly events: Event[] = [];
  /** Names of the events that came. */
  readonly names: string[] = [];
  isEnded = false;
  #rest = '';

  private constructor(readonly response: IncomingMessage) {}

  static async open(
    origin: string,
    token: string | undefined,
    asked: Asked = {},
    how: {
      readonly method?: 'GET' | 'POST';
      readonly query?: string;
      readonly headers?: Record<string, string | string[]>;
    } = {},
  ): Promise<StreamClient> {
    const { method = 'POST', query = CHANGES, headers = {} } = how;
    const isGet = method === 'GET';
    const search = new URLSearchParams({ query, variables: JSON.stringify(asked) });
    const send = origin.startsWith('https') ? httpsRequest : httpRequest;
    const request = send(`${origin}/graphql/stream${isGet ? `?${String(search)}` : ''}`, {
      method,
      rejectUnauthorized: false,
      headers: {
        accept: 'text/event-stream',
        ...(isGet ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { 'zt-session': token }),
        ...headers,
      },
    } as never);
    request.end(isGet ? undefined : JSON.stringify({ query, variables: asked }));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return new StreamClient(response);
  }

  /** Reads from now on. */
  read(): this {
    this.response.on('data', (chunk: Buffer) => {
      this.#rest += chunk.toString();
      const parts = this.#rest.split('\n\n');
      this.#rest = parts.pop() ?? '';
      for (const part of parts) this.take(part);
    });
    this.response.on('close', () => {
      this.isEnded = true;
    });
    return this;
  }

  async text(): Promise<string> {
    let text = '';
    for await (const chunk of this.response) text += String(chunk);
    return text;
  }

  close(): void {
    this.response.destroy();
  }

  private take(part: string): void {
    const name = /^event: (\w+)$/m.exec(part)?.[1];
    if (name !== undefined) this.names.push(name);
    const data = /^data: (.+)$/m.exec(part)?.[1];
    if (data !== undefined) this.events.push(JSON.parse(data) as Event);
  }
}

export const idsOf = (events: readonly Event[]): (string | undefined)[] =>
  events.map(({ data }) => data?.changes.entityId);
