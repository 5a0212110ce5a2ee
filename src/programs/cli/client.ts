import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { CommandError, EXIT } from './command-error.js';
import { Login, LoginByJwt, Logout, type Operation } from '../emitted/operations.js';
import { codeOf, type Connection, type LoginBy } from './controller-connection.js';
import { eventData } from './event-data.js';
import { explained, Refusal, refusalOf, type GraphError } from './refusal.js';

interface Answer {
  readonly data?: object | null;
  readonly errors?: readonly GraphError[];
}

/** The members of an answer without a refusal: what is asked for is there. */
type Present<Result> = { readonly [Name in keyof Result]: NonNullable<Result[Name]> };

/** A stream that lives has a sign of life every 15 seconds. */
const SILENCE_MILLIS = 60_000;
/** Behind a dead connection a command ends all the same; its session ends by itself. */
const FAREWELL_MILLIS = 3_000;

/** How an operation is sent, where that is out of the ordinary. */
interface Sending {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds without a sign of life after which it is given up. */
  readonly timeout?: number;
}

/** Speaks GraphQL with one controller over TLS. */
export class Client {
  #token: string | undefined;
  readonly #agent: Agent;

  private constructor(
    private readonly url: URL,
    tls: Connection['tls'],
  ) {
    this.#agent = new Agent({ keepAlive: true, ...tls });
  }

  /** Connects and logs in, or ends the command. */
  static async login({ url, tls, login }: Connection): Promise<Client> {
    const client = new Client(url, tls);
    try {
      client.#token = await client.newSession(login);
      return client;
    } catch (error) {
      client.close();
      if (!(error instanceof Refusal)) throw error;
      const message = `${url.origin} refuses the login: ${error.message}`;
      throw new Refusal(EXIT.unreachable, message, error.details);
    }
  }

  /** Logs in and gives the token of the session. */
  private async newSession(login: LoginBy): Promise<string> {
    const { authenticate } =
      'jwt' in login
        ? await this.run(LoginByJwt, {}, { headers: { authorization: `Bearer ${login.jwt}` } })
        : await this.run(Login, login);
    return authenticate.token;
  }

  /** Runs one operation and gives its data. */
  async run<Result extends object, Variables>(
    operation: Operation<Result, Variables>,
    variables: Variables,
    { path = '/graphql', headers = {}, timeout = 0 }: Sending = {},
  ): Promise<Present<Result>> {
    const response = await this.send(path, bodyOf(operation, variables), headers, { timeout });
    const body = await text(response).catch((error: unknown) => {
      throw this.unreached(error);
    });
    const data = this.dataOf(response, body) as Result;
    const missing = Object.entries(data).find(([, value]) => value === null);
    if (missing) throw this.fault(`answers without ${missing[0]}`);
    return data as Present<Result>;
  }

  /** Ends the session, as far as that is possible. */
  async logout(): Promise<void> {
    const sending = { timeout: FAREWELL_MILLIS };
    await this.run(Logout, {}, sending).catch(() => undefined);
    this.close();
  }

  /** Closes the connection; the session stays until it ends by itself. */
  close(): void {
    this.#agent.destroy();
  }

  /** Follows a subscription: one event after the other, until the controller ends it. */
  async *subscribe<Result, Variables>(
    operation: Operation<Result, Variables>,
    variables: Variables,
    { signal, onBegin }: { readonly signal: AbortSignal; readonly onBegin: () => void },
  ): AsyncGenerator<Result> {
    const body = bodyOf(operation, variables);
    const accept = { accept: 'text/event-stream' };
    const response = await this.send('/graphql/stream', body, accept, {
      signal,
      timeout: SILENCE_MILLIS,
    });
    if (response.statusCode !== 200) this.dataOf(response, await text(response));
    else onBegin();
    try {
      for await (const event of eventData(response)) yield this.dataOf(response, event) as Result;
    } catch (error) {
      throw error instanceof CommandError ? error : this.fault(`was cut off: ${codeOf(error)}`);
    }
  }

  private async send(
    path: string,
    body: string,
    headers: Sending['headers'],
    options: { readonly signal?: AbortSignal; readonly timeout?: number } = {},
  ): Promise<IncomingMessage> {
    const sent = request(new URL(path, this.url), {
      ...options,
      method: 'POST',
      agent: this.#agent,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(this.#token === undefined ? {} : { 'zt-session': this.#token }),
      },
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer came in time')));
    try {
      // Node would write the headers and a text in one encoding, that of the text.
      sent.end(Buffer.from(body));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response;
    } catch (error) {
      throw this.unreached(error);
    }
  }

  /** The data of an answer; whatever else the controller says ends the command. */
  private dataOf({ statusCode = 0 }: IncomingMessage, body: string): unknown {
    const answer = parsed(body);
    if (!answer) throw this.fault(`answers ${String(statusCode)} and no JSON`);
    const [first] = answer.errors ?? [];
    if (first) throw refusalOf(first);
    if (!answer.data) throw this.fault(`answers ${String(statusCode)} without data`);
    return answer.data;
  }

  private unreached(error: unknown): CommandError {
    return this.fault(`can not be reached: ${explained(codeOf(error))}`);
  }

  private fault(what: string): CommandError {
    return new CommandError(EXIT.unreachable, `${this.url.origin} ${what}`);
  }
}

/** An operation as it is sent. */
export const bodyOf = <Variables>(
  { text: query }: Operation<unknown, Variables>,
  variables: Variables,
): string => JSON.stringify({ query, variables });

function parsed(body: string): Answer | undefined {
  try {
    return JSON.parse(body) as Answer;
  } catch {
    return undefined;
  }
}
