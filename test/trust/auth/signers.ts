import { createPublicKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { newAuthority } from './certificates.js';

/** An issuer of JWTs outside the network, with one EC key. */
export class OutsideSigner {
  private constructor(
    readonly issuer: string,
    readonly key: KeyObject,
    readonly certPem: string,
    readonly kid: string,
  ) {}

  static async create(issuer: string): Promise<OutsideSigner> {
    const { cert, privateKey } = await newAuthority(issuer);
    return new OutsideSigner(issuer, privateKey, cert.toString(), `kid-of-${issuer}`);
  }

  /** A JWT for a subject; claims and header may be changed. */
  jwt(
    sub: string,
    claims: Record<string, unknown> = {},
    header: { kid?: string; key?: KeyObject; expiresIn?: number } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ sub, iss: this.issuer, aud: AUDIENCE, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: header.kid ?? this.kid })
      .setExpirationTime(now + (header.expiresIn ?? 300))
      .sign(header.key ?? this.key);
  }

  /** What a controller has to know of it. */
  get settings(): Record<string, unknown> {
    return { ...this.shared, certPem: this.certPem, kid: this.kid };
  }

  settingsBy(jwksEndpoint: string): Record<string, unknown> {
    return { ...this.shared, jwksEndpoint };
  }

  private get shared(): Record<string, unknown> {
    return {
      name: this.issuer,
      issuer: this.issuer,
      audience: AUDIENCE,
      enabled: true,
      externalAuthUrl: `https://${this.issuer}.example/login`,
      clientId: `client-of-${this.issuer}`,
      scopes: ['openid'],
    };
  }
}

const AUDIENCE = 'overlay';

/** Key sets over plain HTTP on the loopback. */
export class KeySetServer {
  readonly keys = new Map<string, KeyObject>();
  downloads = 0;

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<KeySetServer> {
    const server = createServer((_, response) => {
      sets.downloads += 1;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: sets.published() }));
    });
    const sets = new KeySetServer(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return sets;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/keys`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private published(): object[] {
    return [...this.keys].map(([kid, key]) => ({
      ...createPublicKey(key).export({ format: 'jwk' }),
      kid,
      alg: 'ES256',
      use: 'sig',
    }));
  }
}
