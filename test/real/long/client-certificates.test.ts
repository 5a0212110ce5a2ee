import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import { encodeFrame, FRAME_LIMITS, FrameReader } from '../../../src/network/control/frame.js';
import { readUint32, textValue } from '../../../src/network/control/header-values.js';
import {
  newAuthority,
  newCsr,
  newKey,
  newLeaf,
  withKey,
  type ClientCertificate,
} from '../../trust/auth/certificates.js';
import { authenticate, call, sessionIn, withToken } from '../../trust/auth/client.js';
import { addVerified, invite, wellKnownAuthorities } from '../../trust/enrollment/enrolling.js';
import { COMMON_NAME_CLAIM } from '../../support/auth-settings.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { connectTls } from '../../support/test-router.js';
import { answers, RealNetwork, transfer, ZITI, type RealRouter } from '../real-network.js';

/*
 * A real router lets clients in by the certificates that it knows of their sessions, and a real
 * tunneler dials with each kind. `OVERGRAPH_ZITI` names the `ziti` program, of a version 1.6.
 */

const MEGABYTE = 1_000_000;
const ROLE = 'clients';

(ZITI === undefined ? describe.skip : describe)('a client of a real router', () => {
  let controller: TestController;
  let net: RealNetwork;
  let router: RealRouter;
  let authorities: string;

  const policy = (path: string, body: object): Promise<string> =>
    controller.create(path, { name: net.unique('policy'), semantic: 'AnyOf', ...body });

  beforeAll(async () => {
    controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
    net = await RealNetwork.open(controller);
    authorities = await wellKnownAuthorities(controller);
    router = await net.router();
    const config = await controller.create('configs', {
      name: 'echo',
      configTypeId: 'NH5p4FpGR',
      data: { protocol: 'tcp', address: '127.0.0.1', port: await net.echo() },
    });
    const service = { name: 'echo', configs: [config], encryptionRequired: true };
    await controller.create('services', service);
    for (const [type, role] of [
      ['Bind', '#hosts'],
      ['Dial', `#${ROLE}`],
    ]) {
      await policy('service-policies', { type, identityRoles: [role], serviceRoles: ['#all'] });
    }
    const everyRouter = { edgeRouterRoles: ['#all'] };
    await policy('edge-router-policies', { identityRoles: ['#all'], ...everyRouter });
    await policy('service-edge-router-policies', { serviceRoles: ['#all'], ...everyRouter });
    await eventually(async () => {
      const { body } = await controller.rest('GET', `/edge-routers/${router.id}`);
      expect(body.data).toMatchObject({ isOnline: true, syncStatus: 'SYNC_DONE' });
    }, 30_000);
    net.host((await net.identity('hosts')).file);
  }, 180_000);
  afterAll(async () => {
    await net.close();
    await controller.stop();
  });

  const newAuthorityOf = async (
    settings: object = {},
  ): Promise<{ readonly id: string; readonly issuer: CertificateIssuer }> => {
    const issuer = await newAuthority(net.unique('Root'));
    const id = await addVerified(controller, issuer, {
      identityRoles: [ROLE],
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      ...settings,
    });
    return { id, issuer };
  };

  /** Joins with a certificate of the authority by the token that is the same for all. */
  const joinAutomatically = async (settings?: object): Promise<string> => {
    const { id, issuer } = await newAuthorityOf(settings);
    const { text } = await controller.rest('GET', `/cas/${id}/jwt`);
    return net.enroll(text, await newLeaf(net.unique('device'), issuer));
  };

  const externallyNamed = async (): Promise<ClientCertificate> => {
    const { issuer } = await newAuthorityOf({ externalIdClaim: COMMON_NAME_CLAIM });
    const externalId = net.unique('external');
    await controller.create('identities', {
      name: externalId,
      type: 'Default',
      isAdmin: false,
      roleAttributes: [ROLE],
      externalId,
    });
    return newLeaf(externalId, issuer);
  };

  /** Replaces the certificate in the file of an identity by a new one; gives the new one. */
  const extend = async (file: string): Promise<ClientCertificate> => {
    const certificate = await net.certificateIn(file);
    const { token, authenticatorId } = sessionIn(
      await authenticate(controller, 'cert', { certificate }),
    );
    const path = `/current-identity/authenticators/${authenticatorId}`;
    const inSession = { ...withToken(token), certificate };
    const key = newKey();
    const extended = await call(controller, 'POST', `${path}/extend`, {
      ...inSession,
      body: { clientCertCsr: await newCsr(key) },
    });
    expect(extended.status).toBe(200);
    const { clientCert } = extended.body.data as { clientCert: string };
    const confirmed = await call(controller, 'POST', `${path}/extend-verify`, {
      ...inSession,
      body: { clientCert },
    });
    expect(confirmed.status).toBe(200);
    return withKey(clientCert, key);
  };

  const written = (certificate: ClientCertificate): Promise<string> =>
    net.identityFile(certificate, authorities);

  const WAYS: [string, () => Promise<string>][] = [
    ['enrolled by a one-time token', async () => (await net.identity(ROLE)).file],
    ['extended', async () => written(await extend((await net.identity(ROLE)).file))],
    ['named by the external id of another authority', async () => written(await externallyNamed())],
    [
      'enrolled by a one-time token for another authority',
      async () => {
        const { id, issuer } = await newAuthorityOf();
        const { jwt } = await invite(controller, { ottca: id }, { roleAttributes: [ROLE] });
        return net.enroll(jwt, await newLeaf(net.unique('device'), issuer));
      },
    ],
    ['enrolled automatically', () => joinAutomatically()],
    [
      'enrolled automatically with an external id',
      () => joinAutomatically({ externalIdClaim: COMMON_NAME_CLAIM }),
    ],
  ];

  test.each(WAYS)(
    'dials with its certificate that was %s',
    async (_, file) => {
      const port = await net.dial(await file(), 'echo');
      await answers(port);
      await transfer(port, MEGABYTE);
    },
    180_000,
  );

  test('dials on with a certificate that it has replaced, as long as its session lives', async () => {
    const { file } = await net.identity(ROLE);
    const port = await net.dial(file, 'echo');
    await answers(port);
    await extend(file);
    // The client connects to the router again, with the certificate and the session of before.
    await router.kill();
    router.start();
    await answers(port);
    await transfer(port, MEGABYTE);
  }, 180_000);

  /** Whether the router lets a client in that shows this session and this certificate. */
  async function isLetIn(token: string, certificate: ClientCertificate): Promise<boolean> {
    const socket = connectTls(router.edge, certificate, ['ziti-edge']);
    const reader = new FrameReader(FRAME_LIMITS);
    const headers = new Map([
      [HEADER.version, textValue(VERSION)],
      [HEADER.sessionToken, textValue(token)],
    ]);
    const body = Buffer.alloc(0);
    socket.write(encodeFrame({ type: 0, sequence: -1, headers, body: textValue('client') }));
    // The router looks at the session after its answer to the hello, and answers the next frame then.
    socket.write(encodeFrame({ type: LATENCY, sequence: 1, headers: new Map(), body }));
    return new Promise((resolve) => {
      const end = (isIn: boolean): void => {
        socket.destroy();
        resolve(isIn);
      };
      socket.on('error', () => undefined);
      socket.on('close', () => {
        end(false);
      });
      socket.on('data', (piece: Buffer) => {
        reader.push(piece);
        for (let frame = reader.next(); frame; frame = reader.next()) {
          if (readUint32(frame.headers.get(HEADER.replyFor)) === 1) end(true);
        }
      });
    });
  }

  const HEADER = { replyFor: 1, version: 4, sessionToken: 1002 } as const;
  const VERSION = 'v1.6.20|abc|2026-01-01|linux|amd64';
  const LATENCY = 3;

  const loggedIn = async (certificate: ClientCertificate): Promise<string> =>
    sessionIn(await authenticate(controller, 'cert', { certificate })).token;

  test('is let in with a certificate that its session asked for', async () => {
    const token = await controller.login();
    const key = newKey();
    const { body } = await call(controller, 'POST', '/current-api-session/certificates', {
      ...withToken(token),
      body: { csr: await newCsr(key) },
    });
    const { certificate } = body.data as { certificate: string };
    await expect(isLetIn(token, withKey(certificate, key))).resolves.toBe(true);
    await expect(isLetIn(token, await externallyNamed())).resolves.toBe(false);
  }, 60_000);

  test('is let in with the certificate of its own login alone', async () => {
    const [one, other] = [await externallyNamed(), await externallyNamed()];
    const [token, otherToken] = [await loggedIn(one), await loggedIn(other)];
    await expect(isLetIn(token, one)).resolves.toBe(true);
    await expect(isLetIn(token, other)).resolves.toBe(false);
    await expect(isLetIn(otherToken, other)).resolves.toBe(true);
    await call(controller, 'DELETE', '/current-api-session', withToken(token));
    await expect(isLetIn(token, one)).resolves.toBe(false);
  }, 60_000);
});
