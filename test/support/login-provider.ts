import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { newLeaf } from '../trust/auth/certificates.js';
import { OutsideSigner } from '../trust/auth/signers.js';

type Answer = 'code' | 'denied' | 'wrong nonce' | 'wrong state';

/** A provider of OpenID Connect over TLS on the loopback, which lets everybody in at once. */
export class LoginProvider {
  /** What it answers to the next logins. */
  answer: Answer = 'code';
  /** The subject of its tokens. */
  subject = '';
  /** The parameters of the last login. */
  asked = new URLSearchParams();
  readonly #codes = new Map<string, URLSearchParams>();

  private constructor(
    private readonly server: Server,
    readonly signer: OutsideSigner,
  ) {}

  static async listen(): Promise<LoginProvider> {
    const server = createServer(await newLeaf('127.0.0.1', undefined));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const signer = await OutsideSigner.create(`https://127.0.0.1:${String(port)}`);
    const provider = new LoginProvider(server, signer);
    server.on('request', (request, response) => void provider.#serve(request, response));
    return provider;
  }

  /** What a controller has to know of it. */
  get settings(): Record<string, unknown> {
    return {
      ...this.signer.settings,
      name: 'acme',
      externalAuthUrl: this.signer.issuer,
      clientId: CLIENT,
      scopes: ['profile'],
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.signer.issuer);
    if (pathname === '/authorize') this.#letIn(searchParams, response);
    else if (pathname === '/token') await this.#giveTokens(request, response);
    else send(response, this.#metadata());
  }

  #metadata(): object {
    const { issuer } = this.signer;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      id_token_signing_alg_values_supported: ['ES256'],
    };
  }

  #letIn(asked: URLSearchParams, response: ServerResponse): void {
    this.asked = asked;
    const code = randomUUID();
    this.#codes.set(code, asked);
    const to = new URL(asked.get('redirect_uri') ?? '');
    const state = this.answer === 'wrong state' ? 'forged' : (asked.get('state') ?? '');
    const result: Record<string, string> =
      this.answer === 'denied'
        ? { error: 'access_denied', error_description: 'not today' }
        : { code };
    to.search = new URLSearchParams({ ...result, state }).toString();
    response.writeHead(302, { location: to.href }).end();
  }

  async #giveTokens(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = new URLSearchParams(Buffer.concat(chunks).toString());
    const asked = this.#codes.get(sent.get('code') ?? '');
    this.#codes.clear();
    const challenge = createHash('sha256').update(sent.get('code_verifier') ?? '');
    const isRight =
      asked?.get('code_challenge') === challenge.digest('base64url') &&
      asked.get('code_challenge_method') === 'S256' &&
      asked.get('redirect_uri') === sent.get('redirect_uri') &&
      sent.get('client_id') === CLIENT;
    if (!isRight) {
      send(response, { error: 'invalid_grant' }, 400);
      return;
    }
    const nonce = this.answer === 'wrong nonce' ? 'forged' : asked.get('nonce');
    const iat = Math.floor(Date.now() / 1000);
    send(response, {
      access_token: await this.signer.jwt(this.subject, { iat }),
      id_token: await this.signer.jwt(this.subject, { iat, nonce, aud: CLIENT }),
      token_type: 'Bearer',
      expires_in: 300,
    });
  }
}

const CLIENT = 'overgraph-console';

/** The page of the console asks from another origin. */
function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
  });
  response.end(JSON.stringify(body));
}
