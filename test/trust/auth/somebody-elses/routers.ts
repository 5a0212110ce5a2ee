import { X509Certificate } from 'node:crypto';
import { CONTENT } from '../../../../src/network/control/content-types.js';
import { messages } from '../../../../src/network/messages/emitted/messages.js';
import { textValue, uint32Value } from '../../../../src/network/control/header-values.js';
import { codeOf, openSession, RoutingRouter } from '../../../network/control/traffic-network.js';
import { invite } from '../../enrollment/enrolling.js';
import { isSuccess, TestRouter } from '../../../support/test-router.js';
import { newCsr, newKey } from '../certificates.js';
import { enroll, newSessionCertificate } from './certificates.js';
import { extendRouter } from './csrs.js';
import { atDoors, COUNTS, MATRIX, type Attempt, type Outcome, type Whose } from './matrix.js';
import type { Net, Someone } from './net.js';

/* Tokens of enrollments, certificates of routers, and what routers report of their clients. */

const ENROLLMENT = MATRIX['token of an enrollment'];

const PASSWORD = 'a long password';

const TOKENS: readonly Attempt[] = atDoors(ENROLLMENT, (door) => [
  {
    proof: 'token of an enrollment',
    door,
    at: 'the enrollment of an identity; of a router',
    refusal: '400 INVALID_ENROLL_METHOD',
    prepare: async (net) => {
      const [own, other] = [await invite(net.controller, { ott: true }), await net.invitedRouter()];
      const clientCsr = await newCsr(newKey());
      return (whose) => {
        const { token } = whose === 'own' ? own : other;
        return net.outcome(door, enroll('ott', { token, clientCsr }), {});
      };
    },
  },
  {
    proof: 'token of an enrollment',
    door,
    at: 'the enrollment of a router; of another router',
    refusal: '400 COULD_NOT_PROCESS_CSR',
    prepare: async (net) => {
      const [own, other] = [await net.invitedRouter(), await net.invitedRouter()];
      const clientCsr = await newCsr(newKey(), `CN=${own.id}`);
      return (whose) => {
        const { token } = whose === 'own' ? own : other;
        return net.outcome(door, enroll('erott', { token, clientCsr, serverCsr: clientCsr }), {});
      };
    },
  },
  {
    proof: 'token of an enrollment',
    door,
    at: 'the enrollment with a password; of an enrollment with a certificate',
    refusal: '400 INVALID_ENROLL_METHOD',
    prepare: async (net) => {
      const own = await invite(net.controller, { updb: net.unique('username') });
      const other = await invite(net.controller, { ott: true });
      return (whose) => {
        const { token } = whose === 'own' ? own : other;
        return net.outcome(door, enroll('updb', { token, password: PASSWORD }), {});
      };
    },
  },
]);

/** The answer to the hello of a router with a certificate. */
async function hello(
  net: Net,
  id: string,
  certificate: { readonly cert: string; readonly key: string },
): Promise<Outcome> {
  const router = TestRouter.open(net.controller.port, { ...certificate, id });
  const answer = await router.next(CONTENT.result);
  await router.close();
  return isSuccess(answer) ? COUNTS : answer.body.toString();
}

const NOT_THIS_ROUTER = 'the router is not enrolled with this certificate, or is disabled';

/** Asks for new certificates of a router, and gives the one for clients. */
async function renewed(router: TestRouter): Promise<string> {
  const csr = await newCsr(newKey(), `CN=${router.id}`);
  router.tell(CONTENT.extendEnrollment, messages.EnrollmentExtendRouterRequest, {
    clientCertCsr: csr,
    serverCertCsr: csr,
    requireVerification: true,
  });
  const { body } = await router.next(CONTENT.certificates);
  return messages.EnrollmentCertsResponse.decode(body).clientCertPem;
}

const OF_ROUTERS: readonly Attempt[] = [
  ...atDoors(['client REST', 'GraphQL'] as const, (door): Attempt => ({
    proof: 'certificate of a router',
    door,
    at: 'its renewal; of an identity',
    refusal: '401 UNAUTHORIZED',
    prepare: async (net) => {
      const own = await net.newRouter();
      const { certificate: other } = await net.newCertified();
      const csr = await newCsr(newKey(), `CN=${own.id}`);
      return (whose) =>
        net.outcome(door, extendRouter(csr, csr), { certificate: whose === 'own' ? own : other });
    },
  })),
  ...(['of another router', 'of an identity'] as const).map((other): Attempt => ({
    proof: 'certificate of a router',
    door: 'control channel',
    at: `the hello; ${other}`,
    refusal: NOT_THIS_ROUTER,
    prepare: async (net) => {
      const own = await net.newRouter();
      const another =
        other === 'of an identity'
          ? (await net.newCertified()).certificate
          : await net.once('a router', () => net.newRouter());
      return (whose) => hello(net, own.id, whose === 'own' ? own : another);
    },
  })),
  {
    proof: 'certificate of a router',
    door: 'control channel',
    at: 'the confirmation of a new one; of another router',
    refusal: 'VERIFY_ERROR',
    prepare: async (net) => {
      const [own, other] = [await net.newRouter(), await net.newRouter()];
      return async (whose) => {
        const router = await TestRouter.connect(net.controller.port, own);
        const clientCertPem = await renewed(router);
        const shown = whose === 'own' ? clientCertPem : other.cert;
        const question = messages.EnrollmentExtendRouterVerifyRequest.encode({
          clientCertPem: shown,
        });
        const { body } = await router.ask(CONTENT.confirmCertificate, question);
        await router.close();
        return messages.ConfirmationError.decode(body).code || COUNTS;
      };
    },
  },
  {
    proof: 'certificate of a router',
    door: 'control channel',
    at: 'a link to another router',
    refusal: 'another certificate',
    prepare: async (net) => {
      const [own, other, listener] = [
        await net.newRouter(),
        await net.newRouter(),
        await net.newRouter(),
      ];
      return async (whose) => {
        const router = await TestRouter.connect(net.controller.port, listener);
        const { cert } = whose === 'own' ? own : other;
        const answer = await router.ask(
          CONTENT.verifyRouter,
          messages.VerifyRouter.encode({ routerId: own.id, fingerprints: [print(cert)] }),
        );
        await router.close();
        return isSuccess(answer) ? COUNTS : answer.body.toString();
      };
    },
  },
];

const print = (pem: string): string =>
  new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();

/** The headers of a dial. */
const DIAL = { token: 11, fingerprints: 12, apiSessionToken: 14 } as const;

/** What a client sends to its router, and what the router says that it has proved. */
interface Client {
  readonly token: string;
  readonly apiSessionToken: string;
  readonly fingerprints: readonly string[];
}

async function dial({ router }: RoutingRouter, client: Client): Promise<Outcome> {
  const { token, apiSessionToken, fingerprints } = client;
  const texts = fingerprints.flatMap((text) => [uint32Value(text.length), textValue(text)]);
  const headers = new Map([
    [DIAL.token, textValue(token)],
    [DIAL.apiSessionToken, textValue(apiSessionToken)],
    [DIAL.fingerprints, Buffer.concat([uint32Value(fingerprints.length), ...texts])],
  ]);
  const answer = await router.ask(CONTENT.createCircuit, undefined, headers);
  return answer.type === CONTENT.createCircuitResult ? COUNTS : `error ${String(codeOf(answer))}`;
}

async function bind(router: RoutingRouter, client: Client): Promise<Outcome> {
  const { token, ...proved } = client;
  const terminator = { ...proved, address: crypto.randomUUID() };
  const { body } = await router.bind({ id: '', token }, terminator);
  const { result } = messages.CreateTerminatorV2Response.decode(body);
  return result === 'Success' ? COUNTS : result;
}

const ACTS = [
  { at: 'a dial', type: 'Dial', ask: dial, refusal: 'error 3' },
  { at: 'a bind', type: 'Bind', ask: bind, refusal: 'FailedInvalidSession' },
] as const;

/** A service that is hosted at a router, over which clients dial and host it. */
const hosted = (
  net: Net,
): Promise<{ readonly serviceId: string; readonly router: RoutingRouter }> =>
  net.once('a hosted service', async () => {
    const name = net.unique('svc');
    const serviceId = await net.controller.create('services', { name, encryptionRequired: false });
    const router = await RoutingRouter.start(net.controller);
    const host = await net.newSomeone(CLIENT);
    const { token } = await sessionFor(net, host, serviceId, 'Bind');
    await bind(router, { token, apiSessionToken: host.token, fingerprints: [] });
    return { serviceId, router };
  });

const CLIENT = { roleAttributes: ['hosts', 'dialers'] };

const sessionFor = (net: Net, { id, token }: Someone, serviceId: string, type: 'Dial' | 'Bind') =>
  openSession(net.controller, { identityId: id, apiToken: token }, serviceId, type);

async function sessionCertificate(net: Net, { token }: Someone): Promise<string> {
  const operation = newSessionCertificate(await newCsr(newKey()));
  const { body } = await net.ask('client REST', operation, { token });
  return print((body.data as { certificate: string }).certificate);
}

/** Attempts in which a router reports the client that sends the token of a session. */
const OF_CLIENTS: readonly Attempt[] = ACTS.flatMap(({ at, type, ask, refusal }) => [
  {
    proof: 'token of a session for a service',
    door: 'control channel',
    at,
    refusal,
    prepare: async (net) => {
      const { serviceId, router } = await hosted(net);
      const [own, other] = [await net.newSomeone(CLIENT), await net.newSomeone(CLIENT)];
      return async (whose) => {
        const owner = whose === 'own' ? own : other;
        const { token } = await sessionFor(net, owner, serviceId, type);
        return ask(router, { token, apiSessionToken: own.token, fingerprints: [] });
      };
    },
  },
  ...(['of another identity', 'of another session of the identity'] as const).map(
    (other): Attempt => ({
      proof: 'session certificate',
      door: 'control channel',
      at: `${at}; ${other}`,
      refusal,
      prepare: async (net) => {
        const { serviceId, router } = await hosted(net);
        const own = await net.newSomeone(CLIENT);
        const another =
          other === 'of another identity' ? await net.newSomeone(CLIENT) : await net.logIn(own.id);
        const { token } = await sessionFor(net, own, serviceId, type);
        const certificateOf = (whose: Whose) =>
          sessionCertificate(net, whose === 'own' ? own : another);
        return async (whose) =>
          ask(router, { token, apiSessionToken: '', fingerprints: [await certificateOf(whose)] });
      },
    }),
  ),
]);

export const ROUTERS: readonly Attempt[] = [...TOKENS, ...OF_ROUTERS, ...OF_CLIENTS];
