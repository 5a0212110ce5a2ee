import {
  addVerified,
  addAuthority,
  invite,
  verificationToken,
} from '../../enrollment/enrolling.js';
import { newAuthority, newCsr, newKey, newLeaf, withKey } from '../certificates.js';
import { atDoors, MATRIX, type Attempt, type Whose } from './matrix.js';
import type { Certified, Net, Operation } from './net.js';

/* Certificates of identities, of API sessions and of authorities, in the handshake or in a body. */

const login: Operation = {
  method: 'POST',
  path: '/authenticate?method=cert',
  body: {},
  document: 'mutation { authenticate(method: "cert", input: {}) { id } }',
};

export const extend = ({ authenticatorId: id }: Certified, csr: string): Operation => ({
  method: 'POST',
  path: `/current-identity/authenticators/${id}/extend`,
  body: { clientCertCsr: csr },
  document: `mutation ($id: ID!, $csr: String!) {
    extendCurrentAuthenticator(id: $id, csr: $csr) { clientCert } }`,
  variables: { id, csr },
});

const confirm = ({ authenticatorId: id }: Certified, certificate: string): Operation => ({
  method: 'POST',
  path: `/current-identity/authenticators/${id}/extend-verify`,
  body: { clientCert: certificate },
  document: `mutation ($id: ID!, $certificate: String!) {
    confirmCurrentAuthenticator(id: $id, certificate: $certificate) }`,
  variables: { id, certificate },
});

/** A new certificate of somebody, which waits for confirmation. */
async function pendingCertificate(net: Net, certified: Certified): Promise<string> {
  const { token, certificate } = certified;
  const operation = extend(certified, await newCsr(newKey()));
  const { body } = await net.ask('client REST', operation, { token, certificate });
  return (body.data as { clientCert: string }).clientCert;
}

const CERTIFICATES: readonly Attempt[] = atDoors(MATRIX.certificate, (door) => [
  {
    proof: 'certificate',
    door,
    at: 'the login; of a router',
    refusal: '401 INVALID_AUTH',
    prepare: async (net) => {
      const own = await net.newCertified();
      const router = await net.once('a router', () => net.newRouter());
      return (whose) =>
        net.outcome(door, login, { certificate: whose === 'own' ? own.certificate : router });
    },
  },
  {
    proof: 'certificate',
    door,
    at: 'the renewal of it',
    refusal: '401 UNAUTHORIZED',
    prepare: async (net) => {
      const own = await net.newCertified();
      const other = await net.once('somebody with a certificate', () => net.newCertified());
      const operation = extend(own, await newCsr(newKey()));
      return (whose) => {
        const { certificate } = whose === 'own' ? own : other;
        return net.outcome(door, operation, { token: own.token, certificate });
      };
    },
  },
  {
    proof: 'certificate',
    door,
    at: 'the confirmation of a new one',
    refusal: '400 INVALID_CLIENT_CERT',
    prepare: async (net) => {
      const [own, other] = [await net.newCertified(), await net.newCertified()];
      const pending = {
        own: await pendingCertificate(net, own),
        'of somebody else': await pendingCertificate(net, other),
      };
      return (whose) => net.outcome(door, confirm(own, pending[whose]), { token: own.token });
    },
  },
]);

export const newSessionCertificate = (csr: string): Operation => ({
  method: 'POST',
  path: '/current-api-session/certificates',
  body: { csr },
  document:
    'mutation ($csr: String!) { createCurrentApiSessionCertificate(csr: $csr) { certificate } }',
  variables: { csr },
});

const SESSION_CERTIFICATES: readonly Attempt[] = atDoors(
  ['client REST', 'management REST', 'GraphQL'] as const,
  (door): Attempt => ({
    proof: 'session certificate',
    door,
    at: 'the login; of an API session of the identity',
    refusal: '401 INVALID_AUTH',
    prepare: async (net) => {
      const own = await net.newCertified();
      const key = newKey();
      const { token } = own;
      const made = await net.ask('client REST', newSessionCertificate(await newCsr(key)), {
        token,
      });
      const ofSession = withKey((made.body.data as { certificate: string }).certificate, key);
      return (whose) =>
        net.outcome(door, login, { certificate: whose === 'own' ? own.certificate : ofSession });
    },
  }),
);

const AUTHORITIES: readonly Attempt[] = [
  ...atDoors(['management REST', 'GraphQL'] as const, (door): Attempt => ({
    proof: 'certificate of an authority',
    door,
    at: 'the proof of an authority; of another one for its own token',
    refusal: '400 INVALID_COMMON_NAME',
    prepare: async (net) => {
      const proofOf = async () => {
        const authority = await newAuthority(net.unique('authority'));
        const id = await addAuthority(net.controller, authority);
        const { cert } = await newLeaf(await verificationToken(net.controller, id), authority);
        return { id, cert };
      };
      const [own, other] = [await proofOf(), await proofOf()];
      return async (whose) => {
        const certificate = whose === 'own' ? own.cert : other.cert;
        return net.outcome(
          door,
          {
            method: 'POST',
            path: `/cas/${own.id}/verify`,
            text: certificate,
            document: `mutation ($id: ID!, $certificate: String!) {
              verifyCertificateAuthority(id: $id, certificate: $certificate) }`,
            variables: { id: own.id, certificate },
          },
          { token: net.controller.token },
        );
      };
    },
  })),
  ...atDoors(['client REST', 'GraphQL'] as const, (door): Attempt => ({
    proof: 'certificate of an authority',
    door,
    at: 'an enrollment by its certificates; of another one',
    refusal: '400 CERTIFICATE_FAILED_VALIDATION',
    prepare: async (net) => {
      const settings = { isOttCaEnrollmentEnabled: true };
      const own = await newAuthority(net.unique('authority'));
      const other = await newAuthority(net.unique('authority'));
      const ottca = await addVerified(net.controller, own, settings);
      await addVerified(net.controller, other, settings);
      const { token } = await invite(net.controller, { ottca });
      const leaf = async (whose: Whose) =>
        newLeaf(net.unique('device'), whose === 'own' ? own : other);
      return async (whose) =>
        net.outcome(door, enroll('ottca', { token }), { certificate: await leaf(whose) });
    },
  })),
];

/** An enrollment by a method; names of members are those of the graph. */
export const enroll = (method: string, input: Readonly<Record<string, string>>): Operation => ({
  method: 'POST',
  path: `/enroll?method=${method}`,
  body: input,
  document: `mutation ($method: String, $input: EnrollInput!) {
    enroll(method: $method, input: $input) { cert } }`,
  variables: { method, input },
});

export const OF_CERTIFICATES: readonly Attempt[] = [
  ...CERTIFICATES,
  ...SESSION_CERTIFICATES,
  ...AUTHORITIES,
];
