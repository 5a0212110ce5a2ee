import { atDoors, MATRIX, type Attempt } from './matrix.js';
import type { Net, Operation } from './net.js';

/* JWTs of logins and enrollments, keys of challenges, and ETags. */

const JWTS: readonly Attempt[] = [
  ...atDoors(MATRIX.JWT, (door): Attempt => ({
    proof: 'JWT',
    door,
    at: 'the login; of a signer that vouches for others',
    refusal: '401 UNAUTHORIZED',
    prepare: async (net) => {
      const extJwt = { allowedSigners: [net.signerId] };
      const id = await net.newIdentity({ authPolicyId: await net.newPolicy({ extJwt }) });
      const other = await net.otherSigner();
      const operation: Operation = {
        method: 'POST',
        path: '/authenticate?method=ext-jwt',
        document: 'mutation { authenticate(method: "ext-jwt", input: {}) { id } }',
      };
      return async (whose) => {
        const { signer } = whose === 'own' ? net : other;
        return net.outcome(door, operation, { jwt: await signer.jwt(id) });
      };
    },
  })),
  ...atDoors(['client REST', 'GraphQL'] as const, (door): Attempt => ({
    proof: 'JWT',
    door,
    at: 'an enrollment; of another signer than the request names',
    refusal: '404 INVALID_ENROLLMENT_TOKEN',
    prepare: async (net) => {
      const other = await net.otherSigner();
      await net.controller.rest('PATCH', `/external-jwt-signers/${net.signerId}`, {
        enrollToTokenEnabled: true,
      });
      const operation: Operation = {
        method: 'POST',
        path: '/enroll/token',
        body: {},
        headers: { 'ziti-token-issuer-id': net.signerId },
        document: `mutation ($signerId: ID) {
          enroll(method: "token", input: { signerId: $signerId }) { cert } }`,
        variables: { signerId: net.signerId },
      };
      return async (whose) => {
        const { signer } = whose === 'own' ? net : other;
        const jwt = await signer.jwt(net.unique('Newcomer-of-the-network'));
        return net.outcome(door, operation, { jwt });
      };
    },
  })),
];

const challenge = (keyId: string): Operation => {
  const nonce = '8f1a4a3e-54c3-4b2e-9a38-3c9d7e3f0b11';
  return {
    method: 'POST',
    path: '/enroll/challenge',
    body: { keyId, nonce },
    document: `query ($keyId: String!, $nonce: String!) {
      enrollmentChallenge(keyId: $keyId, nonce: $nonce) { signature } }`,
    variables: { keyId, nonce },
  };
};

/** The key that signs tokens of enrollments. */
async function tokenKey(net: Net): Promise<string> {
  const { body } = await net.ask(
    'client REST',
    { method: 'GET', path: '/enroll/jwks', document: '' },
    {},
  );
  const { keys } = body as unknown as { keys: readonly { readonly kid: string }[] };
  return keys[0]?.kid ?? '';
}

const CHALLENGES: readonly Attempt[] = atDoors(MATRIX['key of a challenge'], (door): Attempt => ({
  proof: 'key of a challenge',
  door,
  at: 'the question of a client; of a router that is enrolled',
  refusal: '400 COULD_NOT_VALIDATE',
  prepare: async (net) => {
    const router = await net.newRouter();
    const { body } = await net.controller.rest('GET', `/edge-routers/${router.id}`);
    const { fingerprint } = body.data as { fingerprint: string };
    const own = await tokenKey(net);
    return (whose) => net.outcome(door, challenge(whose === 'own' ? own : fingerprint), {});
  },
}));

const ETAGS: readonly Attempt[] = atDoors(MATRIX['If-Match'], (door) =>
  ['PATCH', 'PUT', 'DELETE'].map((method): Attempt => ({
    proof: 'If-Match',
    door,
    at: `${method}; of another entity of the same revision`,
    refusal: '412 REVISION_CONFLICT',
    prepare: async (net) => {
      const newService = () =>
        net.controller.create('services', { name: net.unique('svc'), encryptionRequired: true });
      const [own, other] = [await newService(), await newService()];
      const tagOf = async (id: string): Promise<string> =>
        String((await net.controller.rest('GET', `/services/${id}`)).headers.etag);
      const tags = { own: await tagOf(own), 'of somebody else': await tagOf(other) };
      const body = method === 'DELETE' ? undefined : { name: net.unique('renamed') };
      return (whose) =>
        net.outcome(
          door,
          {
            method,
            path: `/services/${own}`,
            ...(body ? { body: { ...body, encryptionRequired: true } } : {}),
            headers: { 'if-match': tags[whose] },
            document: '',
          },
          { token: net.controller.token },
        );
    },
  })),
);

export const REQUESTS: readonly Attempt[] = [...JWTS, ...CHALLENGES, ...ETAGS];
