import { X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import { newCsr, newKey } from '../../trust/auth/certificates.js';
import { startController, type TestController } from '../../support/controller.js';
import {
  enrollRouter,
  groupIn,
  helloOfVersion2,
  isSuccess,
  TestRouter,
  type EnrolledRouter,
} from '../../support/test-router.js';

/* A router renews its certificates over its connection. */

let controller: TestController;
let enrolled: EnrolledRouter;
let router: TestRouter;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());
beforeEach(async () => {
  enrolled = await enrollRouter(controller);
  router = await TestRouter.connect(controller.port, enrolled);
});
afterEach(() => router.close());

const print = (pem: string): string =>
  new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();

interface Renewed {
  readonly key: string;
  readonly clientCertPem: string;
  readonly serverCertPem: string;
  readonly caCertsPem: string;
}

/** Asks for new certificates. */
async function renew(requireVerification: boolean, subject = enrolled.id): Promise<Renewed> {
  const key = newKey();
  const csr = await newCsr(key, `CN=${subject}`);
  router.tell(CONTENT.extendEnrollment, messages.EnrollmentExtendRouterRequest, {
    clientCertCsr: csr,
    serverCertCsr: csr,
    requireVerification,
  });
  const { body } = await router.next(CONTENT.certificates);
  return {
    ...messages.EnrollmentCertsResponse.decode(body),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

async function confirm(clientCertPem: string): Promise<string> {
  const question = messages.EnrollmentExtendRouterVerifyRequest.encode({ clientCertPem });
  const { type, body } = await router.ask(CONTENT.confirmCertificate, question);
  expect(type).toBe(CONTENT.error);
  return messages.ConfirmationError.decode(body).code;
}

interface Shown {
  readonly fingerprint: string;
  readonly unverifiedFingerprint: string | null;
}

async function shown(): Promise<Shown> {
  const { body } = await controller.rest('GET', `/edge-routers/${enrolled.id}`);
  return body.data;
}

/** Whether the router is accepted with a certificate. */
async function isAccepted(cert: string, key: string): Promise<boolean> {
  const other = TestRouter.open(controller.port, { ...enrolled, cert, key });
  const answer = isSuccess(await other.next(CONTENT.result));
  await other.close();
  return answer;
}

test('the new certificate is that of the router when the router has confirmed it', async () => {
  const { fingerprint: before } = await shown();
  const { clientCertPem, serverCertPem, caCertsPem, key } = await renew(true);
  for (const pem of [clientCertPem, serverCertPem, caCertsPem]) {
    expect(pem).toContain('BEGIN CERTIFICATE');
  }
  expect(await shown()).toMatchObject({ fingerprint: before });
  expect(await isAccepted(clientCertPem, key)).toBe(false);
  router = await TestRouter.connect(controller.port, enrolled);
  expect(await confirm(clientCertPem)).toBe('');
  expect(await shown()).toMatchObject({ fingerprint: print(clientCertPem) });
  expect(await isAccepted(enrolled.cert, enrolled.key)).toBe(false);
  expect(await isAccepted(clientCertPem, key)).toBe(true);
});

test('without confirmation the new certificate counts at once', async () => {
  const { clientCertPem, key } = await renew(false);
  expect(await shown()).toMatchObject({ fingerprint: print(clientCertPem) });
  expect(await isAccepted(clientCertPem, key)).toBe(true);
});

test('a second connection proves itself by the new certificate, too', async () => {
  await router.close();
  router = TestRouter.open(controller.port, enrolled, helloOfVersion2());
  const group = groupIn(await router.next(CONTENT.result));
  const { clientCertPem: cert, key } = await renew(false);
  const second = helloOfVersion2({ type: 'ctrl.high', isFirst: false, group });
  const outdated = TestRouter.open(controller.port, enrolled, second);
  await outdated.closed;
  expect(outdated.received).toEqual([]);
  const current = TestRouter.open(controller.port, { ...enrolled, cert, key }, second);
  expect(isSuccess(await current.next(CONTENT.result))).toBe(true);
  await current.close();
});

test('a confirmation of anything else is refused with its reason', async () => {
  expect(await confirm(enrolled.cert)).toBe('INVALID_ROUTER_STATE');
  await renew(true);
  expect(await confirm('')).toBe('MISSING_CLIENT_PEM');
  expect(await confirm('no certificate')).toBe('INVALID_CLIENT_PEM');
  expect(await confirm(enrolled.cert)).toBe('VERIFY_ERROR');
});

test('a request that can not be granted changes nothing, and the connection continues', async () => {
  const before = await shown();
  for (const csr of ['', 'no request']) {
    router.tell(CONTENT.extendEnrollment, messages.EnrollmentExtendRouterRequest, {
      clientCertCsr: csr,
      serverCertCsr: csr,
      requireVerification: true,
    });
  }
  expect(isSuccess(await router.ask(CONTENT.ping))).toBe(true);
  expect(await shown()).toEqual(before);
});
