import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { X509Certificate, type KeyObject } from 'node:crypto';
import type { KeyMaterial } from '../../../src/trust/pki/index.js';
import type { x509 } from '../../../src/trust/pki/x509.js';
import { keysOf, newCsr, newKey, newLeaf, withKey } from '../auth/certificates.js';
import { authenticate, call, runSql, sessionIn, unique, withToken } from '../auth/client.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { invite, issuedIn } from './enrolling.js';

/* What the network certifies for whom: not for names of somebody else, and never unseen. */

let controller: TestController & { dataDir: string };
let keys: KeyMaterial;

beforeAll(async () => {
  controller = await startController({
    env: {
      OVERGRAPH_ADVERTISE: 'Ctrl.example.com:1280',
      OVERGRAPH_CTRL_ADDRESS: 'tls:plane.example.com:6262',
      OVERGRAPH_ROUTER_NAMES: '*.example.com,10.0.0.0/8',
      OVERGRAPH_LOGIN_LIMIT: '0',
    },
  });
  keys = await keysOf(controller);
  await addStoppedController();
});
afterAll(() => controller.stop());

/** Another controller of the network, of which nothing was heard for long. */
async function addStoppedController(): Promise<void> {
  const { cert } = await newLeaf('x', keys.signer, {
    names: [
      { type: 'dns', value: 'second.example.com' },
      { type: 'ip', value: '10.9.9.9' },
    ],
  });
  const addresses = { 'edge-client': [{ url: 'https://balancer.example.com:443/edge/client/v1' }] };
  await runSql(
    controller,
    `insert into controller (id, created_at, updated_at, name, ctrl_address, cert_pem, fingerprint, api_addresses,
      last_joined_at, last_seen_at)
     values ('stopped', now(), now(), 'stopped', 'tls:plane2.example.com:6262', $1, 'none', $2, 'epoch', 'epoch'),
       ('old', now(), now(), 'old', null, 'nothing that can be read', 'none', '{}', 'epoch', 'epoch')`,
    [cert, JSON.stringify(addresses)],
  );
}

type Name = x509.JsonGeneralName;
const dns = (value: string): Name => ({ type: 'dns', value });
const ip = (value: string): Name => ({ type: 'ip', value });

interface Router {
  readonly id: string;
  readonly path: string;
  readonly key: KeyObject;
}

const PATHS = { erott: 'edge-routers', trott: 'transit-routers' } as const;

async function newRouter(method: keyof typeof PATHS, more: object = {}): Promise<Router> {
  const id = await controller.create(PATHS[method], { name: unique('router'), ...more });
  const { body } = await controller.rest('GET', `/${PATHS[method]}/${id}`);
  const { enrollmentToken } = body.data as { enrollmentToken: string };
  return { id, path: `/enroll?method=${method}&token=${enrollmentToken}`, key: newKey() };
}

async function requests({ id, key }: Router, ...names: Name[]) {
  const [plain, named] = [await newCsr(key, `CN=${id}`), await newCsr(key, `CN=${id}`, names)];
  return { certCsr: plain, serverCertCsr: named };
}

const enroll = async (router: Router, ...names: Name[]) =>
  call(controller, 'POST', router.path, { body: await requests(router, ...names) });

/** The cause is for who runs the router. */
const refusalOf = ({ status, body }: Awaited<ReturnType<typeof enroll>>) => [
  status,
  body.error.code,
  JSON.stringify(body.error.cause),
];

const refused = (text: string) => [400, 'COULD_NOT_PROCESS_CSR', expect.stringContaining(text)];

describe.each(['erott', 'trott'] as const)('a router that joins by %s', (method) => {
  test('is not certified for a name of any controller, and keeps its token', async () => {
    const router = await newRouter(method);
    for (const name of [
      dns('ctrl.example.com'),
      dns('CTRL.EXAMPLE.COM.'),
      dns('plane.example.com'),
      dns('second.example.com'),
      dns('balancer.example.com'),
      dns('plane2.example.com'),
      dns('*.example.com'),
      ip('10.9.9.9'),
      ip('::ffff:a09:909'),
    ]) {
      const answer = await enroll(router, dns('mine.example.com'), name);
      expect(refusalOf(answer)).toEqual(refused('is a name of a controller'));
      if (name.type === 'dns') expect(refusalOf(answer)).toEqual(refused(`DNS:${name.value} `));
    }
    const { cert, serverCert } = issuedIn(
      await enroll(router, dns('mine.example.com'), dns('localhost'), ip('127.0.0.1'), ip('::1')),
    );
    expect(new X509Certificate(cert).subjectAltName).toBeUndefined();
    expect(new X509Certificate(serverCert).subjectAltName).toBe(
      'DNS:mine.example.com, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
  });

  test('is not certified for it in either request, nor by its common name', async () => {
    const router = await newRouter(method);
    const { certCsr, serverCertCsr } = await requests(router, dns('ctrl.example.com'));
    const posing = await newCsr(router.key, 'CN=ctrl.example.com');
    for (const body of [
      { certCsr: serverCertCsr, serverCertCsr: certCsr },
      { certCsr, serverCertCsr: posing },
    ]) {
      const answer = await call(controller, 'POST', router.path, { body });
      expect(refusalOf(answer)).toEqual(refused('ctrl.example.com is a name of a controller'));
    }
    expect((await enroll(router)).status).toBe(200);
  });

  test('is not certified beyond OVERGRAPH_ROUTER_NAMES', async () => {
    const router = await newRouter(method);
    for (const name of [dns('bank.example.org'), dns('a.b.example.com'), ip('192.0.2.1')]) {
      expect(refusalOf(await enroll(router, name))).toEqual(refused('not among the names'));
    }
    expect((await enroll(router, dns('a.example.com'), ip('10.1.2.3'))).status).toBe(200);
  });

  test('gets no other names by asking anew', async () => {
    const router = await newRouter(method);
    const { cert } = issuedIn(await enroll(router));
    const extend = async (...names: Name[]) =>
      call(controller, 'POST', '/enroll/extend/router', {
        body: await requests(router, ...names),
        certificate: withKey(cert, router.key),
      });
    expect(refusalOf(await extend(dns('ctrl.example.com')))).toEqual(refused('a controller'));
    expect(refusalOf(await extend(dns('bank.example.org')))).toEqual(refused('not among'));
    expect((await extend(dns('mine.example.com'))).status).toBe(200);
  });

  test('is not certified for what another router advertises', async () => {
    const [host, address] = [
      `of-${method}.example.com`,
      method === 'erott' ? '10.7.7.7' : '10.7.7.8',
    ];
    const other = await newRouter(method, {
      ctrlChanListeners: { [`tls:${host}:6262`]: ['default'], [`tls:${address}:6262`]: [] },
    });
    const router = await newRouter(method);
    for (const name of [dns(host), ip(address)]) {
      expect(refusalOf(await enroll(router, name))).toEqual(refused('a name of another router'));
    }
    expect((await enroll(other, dns(host), ip(address))).status).toBe(200);
  });
});

test('an edge router that is to join anew is held to the same', async () => {
  const router = await newRouter('erott');
  issuedIn(await enroll(router));
  await controller.rest('POST', `/edge-routers/${router.id}/re-enroll`);
  const { body } = await controller.rest('GET', `/edge-routers/${router.id}`);
  const { enrollmentToken } = body.data as { enrollmentToken: string };
  const again = { ...router, path: `/enroll?method=erott&token=${enrollmentToken}` };
  expect(refusalOf(await enroll(again, dns('ctrl.example.com')))).toEqual(refused('a controller'));
});

describe('the change log has a certificate', () => {
  interface Logged {
    readonly entityId: string;
    readonly operation: string;
    readonly address: string | null;
    readonly before: null;
    readonly after: Record<string, unknown> & { readonly fingerprint: string };
  }

  /** What was certified for a holder, oldest first, as soon as the log shows so many. */
  async function loggedFor(holderId: string, count: number): Promise<Logged[]> {
    const filter = encodeURIComponent('type = "Certificate" limit none');
    const { value } = await eventually(async () => {
      const { body } = await controller.rest('GET', `/changes?filter=${filter}`);
      const found = (body.data as Logged[]).filter(({ after }) => after.holderId === holderId);
      if (found.length < count) throw new Error(`${String(found.length)} certificates are listed`);
      return found;
    });
    return value;
  }

  /** As the certificate itself has it. */
  const described = (pem: string, names: string[], usage: string) => {
    const leaf = new X509Certificate(pem);
    const fingerprint = leaf.fingerprint.replaceAll(':', '').toLowerCase();
    return {
      entityId: fingerprint,
      operation: 'create',
      before: null,
      after: {
        fingerprint,
        serialNumber: leaf.serialNumber.toLowerCase(),
        subject: leaf.subject.replaceAll('\n', ', '),
        names,
        usages: [usage],
        notBefore: new Date(leaf.validFrom).toISOString(),
        notAfter: new Date(leaf.validTo).toISOString(),
      },
    };
  };

  test('of a router, for clients and for servers, once each', async () => {
    const router = await newRouter('trott');
    await enroll(router, dns('ctrl.example.com'));
    const { cert, serverCert } = issuedIn(
      await enroll(router, dns('r.example.com'), ip('10.0.0.8'), {
        type: 'url',
        value: 'https://r.example.com/',
      }),
    );
    const logged = await loggedFor(router.id, 2);
    expect(logged).toMatchObject([
      described(cert, [], 'clientAuth'),
      described(
        serverCert,
        ['DNS:r.example.com', 'IP:10.0.0.8', 'URI:https://r.example.com/'],
        'serverAuth',
      ),
    ]);
    expect(logged.map(({ after }) => after.holderType)).toEqual(['TransitRouter', 'TransitRouter']);
    expect(logged[0]?.address).toBe('127.0.0.1');
  });

  test('of an identity, of its session, and the one that follows', async () => {
    const { identityId, token } = await invite(controller, { ott: true });
    const key = newKey();
    const body = { token, clientCsr: await newCsr(key, 'CN=ctrl.example.com', [dns('x.org')]) };
    const { cert } = issuedIn(await call(controller, 'POST', '/enroll/ott', { body }));
    const certificate = withKey(cert, key);
    const session = sessionIn(await authenticate(controller, 'cert', { certificate }));
    const own = { ...withToken(session.token), certificate };
    const forSession = await call(controller, 'POST', '/current-api-session/certificates', {
      ...own,
      body: { csr: await newCsr(newKey(), 'CN=x', [dns('ctrl.example.com')]) },
    });
    const extended = await call(
      controller,
      'POST',
      `/current-identity/authenticators/${session.authenticatorId}/extend`,
      { ...own, body: { clientCertCsr: await newCsr(newKey(), 'CN=y', [dns('y.org')]) } },
    );
    const spiffe = `URI:spiffe://${keys.trustDomain}/identity/${identityId}`;
    const { clientCert } = extended.body.data as { clientCert: string };
    expect(await loggedFor(identityId, 2)).toMatchObject([
      described(cert, [spiffe], 'clientAuth'),
      described(clientCert, [spiffe], 'clientAuth'),
    ]);
    const { certificate: sessionCert, id } = forSession.body.data as {
      certificate: string;
      id: string;
    };
    const path = `/apiSession/${session.id}/apiSessionCertificate/${id}`;
    expect(await loggedFor(session.id, 1)).toMatchObject([
      described(sessionCert, [spiffe + path], 'clientAuth'),
    ]);
  });

  test('of the controller itself', async () => {
    const filter = encodeURIComponent(`type = "Certificate" and entityId = "${ownFingerprint()}"`);
    const { body } = await controller.rest('GET', `/changes?filter=${filter}`);
    expect(body.data).toMatchObject([
      {
        actorId: null,
        after: {
          holderType: 'Controller',
          names: expect.arrayContaining(['DNS:ctrl.example.com', 'IP:127.0.0.1']),
          usages: ['serverAuth'],
        },
      },
    ]);
  });

  const ownFingerprint = (): string =>
    keys.server.leaf.fingerprint.replaceAll(':', '').toLowerCase();
});
