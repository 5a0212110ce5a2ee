import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { CommandError, EXIT } from './command-error.js';
import { codeOf, type Connection } from './connection.js';

interface GraphError {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly field?: string;
    readonly reason?: string;
  };
}

interface Answer<T> {
  readonly data?: T | null;
  readonly errors?: readonly GraphError[];
}

const LOGIN = `mutation ($username: String!, $password: String!) {
  authenticate(method: "password", input: { username: $username, password: $password }) { token }
}`;

/** How an operation is sent, where that is out of the ordinary. */
interface Sending {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The controller has answered, and does not do it. */
export class Refusal extends CommandError {}

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
  static async login({ url, username, password, tls }: Connection): Promise<Client> {
    const client = new Client(url, tls);
    try {
      const { authenticate } = await client.run<{ authenticate: { token: string } }>(LOGIN, {
        username,
        password,
      });
      client.#token = authenticate.token;
      return client;
    } catch (error) {
      client.close();
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(EXIT.unreachable, `${url.origin} refuses the login: ${error.message}`);
    }
  }

  /** Runs one operation and gives its data. */
  async run<T>(
    query: string,
    variables: object = {},
    { path = '/graphql', headers = {} }: Sending = {},
  ): Promise<T> {
    const { status, body } = await this.post(path, JSON.stringify({ query, variables }), headers);
    const answer = parsed<T>(body);
    if (!answer) throw this.fault(`answers ${String(status)} and no JSON`);
    const [first] = answer.errors ?? [];
    if (first) throw refusal(first);
    if (!answer.data) throw this.fault(`answers ${String(status)} without data`);
    return answer.data;
  }

  /** Ends the session, as far as that is possible. */
  async logout(): Promise<void> {
    await this.run('mutation { deleteCurrentApiSession }').catch(() => undefined);
    this.close();
  }

  private close(): void {
    this.#agent.destroy();
  }

  private async post(
    path: string,
    body: string,
    headers: Sending['headers'],
  ): Promise<{ status: number; body: string }> {
    const sent = request(new URL(path, this.url), {
      method: 'POST',
      agent: this.#agent,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(this.#token === undefined ? {} : { 'zt-session': this.#token }),
      },
    });
    try {
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return { status: response.statusCode ?? 0, body: await text(response) };
    } catch (error) {
      throw this.fault(`can not be reached: ${explained(codeOf(error))}`);
    }
  }

  private fault(what: string): CommandError {
    return new CommandError(EXIT.unreachable, `${this.url.origin} ${what}`);
  }
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function explained(code: string): string {
  if (UNTRUSTED.has(code)) return 'its certificate is not trusted; give --ca <file>, or -k';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another name';
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND') return 'no such host';
  return code;
}

function parsed<T>(body: string): Answer<T> | undefined {
  try {
    return JSON.parse(body) as Answer<T>;
  } catch {
    return undefined;
  }
}

function refusal({ message, extensions: { code, field, reason } = {} }: GraphError): Refusal {
  const told = field === undefined ? message : `${field}: ${reason ?? message}`;
  const isLogin = code === 'UNAUTHORIZED' || code === 'INVALID_AUTH';
  return new Refusal(isLogin ? EXIT.unreachable : EXIT.fault, told);
}
