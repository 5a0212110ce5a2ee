import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { OidcDoor } from '../../../src/edge/oidc/oidc-door.js';
import { RequestLimits, type LimitSettings } from '../../../src/requests/limits/index.js';
import type { InProcess } from '../../support/in-process.js';

/** The provider of an in-process controller, over plain HTTP. */

const LIMITS: LimitSettings = {
  ...{ addressRate: 0, sessionRate: 0, concurrency: 0, requestMs: 60_000 },
  ...{ connections: 0, addressConnections: 0, graphqlBudget: 0 },
};

const HOST = 'localhost';

export interface DoorAnswer {
  readonly status: number;
  readonly location: string;
  readonly text: string;
  /** SQL statements that it took, with `begin` and `commit`. */
  readonly statements: readonly string[];
}

export class InProcessDoor {
  private constructor(
    private readonly on: InProcess,
    private readonly port: number,
    readonly stop: () => Promise<void>,
  ) {}

  /** Of which all clients show the certificate. */
  static async listen(on: InProcess, certPem: string): Promise<InProcessDoor> {
    const faults: unknown[] = [];
    const certificate = new X509Certificate(certPem);
    const door = new OidcDoor({
      contexts: on.parts.contexts,
      limits: new RequestLimits(LIMITS),
      settings: { redirectUris: [], postLogoutUris: [], accessSeconds: 600, refreshSeconds: 3_600 },
      issuerOf: (host) => `https://${host ?? ''}/oidc`,
      onUnexpected: (error) => faults.push(error),
    });
    const server = createServer((request, response) => {
      const shown = { raw: certificate.raw };
      Object.assign(request.socket, { getPeerCertificate: () => shown });
      void door.serve(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new InProcessDoor(on, port, async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      if (faults.length > 0) throw faults[0] as Error;
    });
  }

  async ask(
    method: string,
    path: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<DoorAnswer> {
    const { database } = this.on.parts;
    const statements: string[] = [];
    database.watch = (sent) => {
      statements.push(sent);
      return undefined;
    };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const headers = { host: HOST, ...(form ? type : {}) };
    const sent = httpRequest({ host: '127.0.0.1', port: this.port, method, path, headers });
    sent.end(form && new URLSearchParams(form).toString());
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const text = await textOf(answer);
    database.watch = undefined;
    return {
      status: answer.statusCode ?? 0,
      location: answer.headers.location ?? '',
      text,
      statements,
    };
  }
}
