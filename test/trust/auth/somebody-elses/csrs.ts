import { X509Certificate } from 'node:crypto';
import { CONTENT } from '../../../../src/network/control/content-types.js';
import { messages } from '../../../../src/network/messages/emitted/messages.js';
import { derMembers, derValue, Tag } from '../../../../src/trust/pki/der.js';
import { invite } from '../../enrollment/enrolling.js';
import { TestRouter } from '../../../support/test-router.js';
import { newCsr, newKey } from '../certificates.js';
import { enroll, extend, newSessionCertificate } from './certificates.js';
import { atDoors, COUNTS, type Attempt, type RequestDoor, type Whose } from './matrix.js';
import type { Net, Operation, Presented } from './net.js';

/* Requests for certificates (PKCS#10): the signature of another key does not prove the own key. */

const REFUSED = '400 COULD_NOT_PROCESS_CSR';

/** A request for a key, with the signature of that key or of another one. */
async function csrOf(whose: Whose, subject?: string): Promise<string> {
  const [own, other] = [await newCsr(newKey(), subject), await newCsr(newKey(), subject)];
  if (whose === 'own') return own;
  const [body, algorithm] = partsOf(own);
  const [, , signature] = partsOf(other);
  const parts = [body, algorithm, signature].flatMap((part) => (part ? [part.raw] : []));
  const content = Buffer.concat(parts);
  // A request of this kind has 256 to 65,535 bytes.
  const head = Buffer.from([Tag.sequence, 0x82, content.length >> 8, content.length & 0xff]);
  const base64 = Buffer.concat([head, content]).toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
}

const partsOf = (pem: string) =>
  derMembers(
    derValue(Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64'), Tag.sequence),
    Tag.sequence,
  );

/** An operation that takes a request, and what it is sent with. */
interface Place {
  readonly at: string;
  readonly doors: readonly RequestDoor[];
  readonly prepare: (
    net: Net,
  ) => Promise<{ readonly operation: (whose: Whose) => Promise<Operation> } & Presented>;
}

const ENROLLMENT: readonly RequestDoor[] = ['client REST', 'GraphQL'];

const PLACES: readonly Place[] = [
  {
    at: 'the enrollment of an identity',
    doors: ENROLLMENT,
    prepare: async (net) => {
      const { token } = await invite(net.controller, { ott: true });
      return {
        operation: async (whose) => enroll('ott', { token, clientCsr: await csrOf(whose) }),
      };
    },
  },
  {
    at: 'the renewal of a certificate',
    doors: ['client REST', 'management REST', 'GraphQL'],
    prepare: async (net) => {
      const { token, certificate, ...own } = await net.newCertified();
      const certified = { ...own, token, certificate };
      return {
        token,
        certificate,
        operation: async (whose) => extend(certified, await csrOf(whose)),
      };
    },
  },
  {
    at: 'a certificate of an API session',
    doors: ENROLLMENT,
    prepare: async (net) => {
      const { token } = await net.newSomeone();
      return { token, operation: async (whose) => newSessionCertificate(await csrOf(whose)) };
    },
  },
  {
    at: 'the enrollment of a router',
    doors: ENROLLMENT,
    prepare: async (net) => {
      const { id, token } = await net.invitedRouter();
      return {
        operation: async (whose) => {
          const [clientCsr, serverCsr] = await csrsOf(whose, id);
          return enroll('erott', { token, clientCsr, serverCsr });
        },
      };
    },
  },
  {
    at: 'the renewal of the certificates of a router',
    doors: ENROLLMENT,
    prepare: async (net) => {
      const router = await net.newRouter();
      return {
        certificate: router,
        operation: async (whose) => extendRouter(...(await csrsOf(whose, router.id))),
      };
    },
  },
];

const csrsOf = async (whose: Whose, id: string): Promise<[string, string]> => [
  await csrOf(whose, `CN=${id}`),
  await csrOf(whose, `CN=${id}`),
];

export const extendRouter = (certCsr: string, serverCertCsr: string): Operation => ({
  method: 'POST',
  path: '/enroll/extend/router',
  body: { certCsr, serverCertCsr },
  document: `mutation ($certCsr: String!, $serverCertCsr: String!) {
    extendRouterEnrollment(clientCsr: $certCsr, serverCsr: $serverCertCsr) { cert } }`,
  variables: { certCsr, serverCertCsr },
});

const OVER_CONTROL: Attempt = {
  proof: 'signature of a certificate request',
  door: 'control channel',
  at: 'the renewal of the certificates of a router',
  refusal: 'no certificates',
  prepare: async (net) => {
    const enrolled = await net.newRouter();
    return async (whose) => {
      const router = await TestRouter.connect(net.controller.port, enrolled);
      const ask = async (of: Whose, name: string): Promise<void> => {
        const csr = await csrOf(of, `CN=${enrolled.id}, O=${name}`);
        router.tell(CONTENT.extendEnrollment, messages.EnrollmentExtendRouterRequest, {
          clientCertCsr: csr,
          serverCertCsr: csr,
          requireVerification: true,
        });
      };
      await ask(whose, 'first');
      // A request that is refused has no answer.
      if (whose !== 'own') await ask('own', 'second');
      const { body } = await router.next(CONTENT.certificates);
      await router.close();
      const { clientCertPem } = messages.EnrollmentCertsResponse.decode(body);
      return new X509Certificate(clientCertPem).subject.includes('O=first')
        ? COUNTS
        : 'no certificates';
    };
  },
};

export const CSRS: readonly Attempt[] = [
  ...PLACES.flatMap(({ at, doors, prepare }) =>
    atDoors(doors, (door): Attempt => ({
      proof: 'signature of a certificate request',
      door,
      at,
      refusal: REFUSED,
      prepare: async (net) => {
        const { operation, ...presented } = await prepare(net);
        return async (whose) => net.outcome(door, await operation(whose), presented);
      },
    })),
  ),
  OVER_CONTROL,
];
