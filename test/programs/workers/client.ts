import { Agent, request as httpsRequest } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: {
    readonly data: Record<string, unknown>;
    readonly meta: { readonly pagination: { readonly totalCount: number } };
  };
  readonly text: string;
}

/** A client with one kept connection, so that one process of the controller serves it. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });

  constructor(
    private readonly port: number,
    private readonly token: string,
  ) {}

  /** Sends a request to the management interface, or to a path that begins with `/edge`. */
  async ask(method: string, path: string, body?: object, token = this.token): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const request = httpsRequest({
      host: '127.0.0.1',
      port: this.port,
      method,
      path: /^\/(?:edge|metrics)/.test(path) ? path : `/edge/management/v1${path}`,
      agent: this.#agent,
      headers: {
        'zt-session': token,
        ...(text === ''
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    });
    request.end(text);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let answer = '';
    for await (const chunk of response) answer += String(chunk);
    const isJson = response.headers['content-type']?.includes('json') === true;
    return {
      status: response.statusCode ?? 0,
      body: (isJson ? JSON.parse(answer) : {}) as Answer['body'],
      text: answer,
    };
  }

  /** Creates an entity and gives its id. */
  async create(path: string, body: object): Promise<string> {
    const { status, body: answer, text } = await this.ask('POST', path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${text}`);
    return String(answer.data.id);
  }

  end(): void {
    this.#agent.destroy();
  }
}
