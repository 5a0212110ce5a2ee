import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Agent } from 'node:https';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import type { KeyMaterial } from '../../../src/trust/pki/index.js';
import { startController, type TestController } from '../../support/controller.js';
import { COMMON_NAME_CLAIM } from '../../support/auth-settings.js';
import {
  keysOf,
  networkCertificate,
  newAuthority,
  newLeaf,
  sending,
  withKey,
  type ClientCertificate,
} from './certificates.js';
import {
  authenticate,
  authPolicy,
  call,
  outcome,
  runSql,
  sessionIn,
  unique,
  withToken,
  type SessionView,
} from './client.js';

/* Logins by the certificate of the TLS connection. */

let controller: TestController & { dataDir: string };
let keys: KeyMaterial;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  keys = await keysOf(controller);
});
afterAll(() => controller.stop());

const newIdentity = (more: object = {}): Promise<string> =>
  controller.create('identities', {
    name: unique('device'),
    type: 'Default',
    isAdmin: false,
    ...more,
  });

/** Gives an identity a certificate to log in with. */
const register = (identityId: string, { cert }: Pick<ClientCertificate, 'cert'>): Promise<string> =>
  controller.create('authenticators', { identityId, method: 'cert', certPem: cert });

const logIn = (certificate?: ClientCertificate) =>
  authenticate(controller, 'cert', { certificate });
const sessionOf = async (certificate: ClientCertificate): Promise<SessionView> =>
  sessionIn(await logIn(certificate));

const expectRefused = async (certificate?: ClientCertificate): Promise<void> => {
  expect(outcome(await logIn(certificate))).toEqual([401, 'INVALID_AUTH']);
};

describe('a certificate of the network', () => {
  let id: string;
  let authenticatorId: string;
  /** Alone, and with the intermediate that issued it. */
  let leaf: ClientCertificate;
  let chain: ClientCertificate;

  beforeEach(async () => {
    id = await newIdentity();
    chain = await networkCertificate(keys, id);
    leaf = { key: chain.key, cert: new X509Certificate(chain.cert).toString() };
    authenticatorId = await register(id, leaf);
  });

  test('logs its identity in', async () => {
    const answer = await logIn(chain);
    const session = sessionIn(answer);
    expect(session).toMatchObject({
      identityId: id,
      authenticatorId,
      isCertExtendable: false,
      improperClientCertChain: false,
    });
    expect(answer.headers['zt-session']).toBe(session.token);
    expect(answer.headers['ziti-authenticator-extend-requested']).toBeUndefined();
    const used = await call(controller, 'GET', '/current-identity', withToken(session.token));
    expect(used.body.data).toMatchObject({ id });
  });

  test('may come without its intermediates, which is remarked', async () => {
    await expect(sessionOf(leaf)).resolves.toMatchObject({
      identityId: id,
      improperClientCertChain: true,
    });
  });

  test.each(['REST', 'GraphQL'])(
    'leaves behind whether its chain led to a root, shown by %s',
    async (door) => {
      const shown = async (): Promise<unknown> => {
        const { data } =
          door === 'REST'
            ? (await controller.rest('GET', `/authenticators/${authenticatorId}`)).body
            : await controller.graphql(
                'query ($id: ID!) { authenticator(id: $id) { lastAuthResolvedToRoot } }',
                { id: authenticatorId },
              );
        const told = data as { authenticator?: object };
        return told.authenticator ?? told;
      };
      const seen: unknown[] = [];
      for (const one of [undefined, chain, chain, leaf, chain]) {
        if (one) await sessionOf(one);
        seen.push(((await shown()) as { lastAuthResolvedToRoot: boolean }).lastAuthResolvedToRoot);
      }
      expect(seen).toEqual([false, true, true, false, true]);
    },
  );

  test('may come with the root', async () => {
    await expect(sessionOf(sending(chain, keys.root))).resolves.toMatchObject({
      identityId: id,
      improperClientCertChain: false,
    });
  });

  test('may be taken for one that the network can extend', async () => {
    await runSql(controller, 'update authenticator set is_issued_by_network = true where id = $1', [
      authenticatorId,
    ]);
    await expect(sessionOf(chain)).resolves.toMatchObject({ isCertExtendable: true });
    await controller.rest('POST', `/authenticators/${authenticatorId}/request-extend`, {
      rollKeys: true,
    });
    const answer = await logIn(chain);
    expect(sessionIn(answer)).toMatchObject({
      isCertExtendRequested: true,
      isCertKeyRollRequested: true,
    });
    expect(answer.headers['ziti-authenticator-extend-requested']).toBe('true');
  });

  test('counts for its own identity alone, whatever else is sent along', async () => {
    const victim = await newIdentity({ isAdmin: true });
    const ofVictim = await networkCertificate(keys, victim);
    await register(victim, { cert: ofVictim.leaf });
    for (const sent of [sending(leaf, ofVictim.leaf), sending(chain, ofVictim.cert)]) {
      await expect(sessionOf(sent)).resolves.toMatchObject({ identityId: id });
    }
    // A leaf that nobody vouches for is not helped by one that somebody does.
    const stranger = await newLeaf('stranger', undefined);
    await expectRefused(sending(stranger, ofVictim.leaf));
    await expectRefused(sending(stranger, ofVictim.cert));
  });

  test('counts for nobody once its authenticator is gone', async () => {
    await controller.rest('DELETE', `/authenticators/${authenticatorId}`);
    await expectRefused(chain);
  });

  test('is not asked for again by its session', async () => {
    const { token } = await sessionOf(chain);
    const answer = await call(controller, 'GET', '/current-api-session', withToken(token));
    expect(answer.status).toBe(200);
  });

  test('shows the same chain on a connection that is resumed', async () => {
    const agent = new Agent({ rejectUnauthorized: false, keepAlive: false, ...chain });
    const improper: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { improperClientCertChain } = await resumable(agent);
      improper.push(improperClientCertChain);
    }
    agent.destroy();
    expect(improper).toEqual([false, false, false]);
  });

  async function resumable(agent: Agent): Promise<SessionView> {
    const answer = await authenticate(controller, 'cert', { agent });
    return sessionIn(answer);
  }
});

describe('a certificate that does not log in', () => {
  test('is none', async () => {
    await expectRefused();
  });

  test('is signed by itself', async () => {
    const self = await newLeaf('self', undefined);
    await register(await newIdentity(), self);
    await expectRefused(self);
  });

  test('is of an authority that nobody knows, even with its chain', async () => {
    const root = await newAuthority('Unknown Root');
    const intermediate = await newAuthority('Unknown Signer', root);
    const leaf = await newLeaf('device', intermediate);
    await register(await newIdentity(), leaf);
    await expectRefused(leaf);
    await expectRefused(sending(leaf, intermediate.cert, root.cert));
  });

  test('is of an authority with the name of ours', async () => {
    const name = keys.signer.cert.subject.split('\n').find((line) => line.startsWith('CN='));
    const impostor = await newAuthority(name?.slice(3) ?? '');
    const leaf = await newLeaf('device', impostor);
    await register(await newIdentity(), leaf);
    await expectRefused(sending(leaf, impostor.cert));
    await expectRefused(sending(leaf, keys.signer.cert, keys.root));
  });

  test('is of somebody whose certificate is no authority', async () => {
    const id = await newIdentity();
    const client = await networkCertificate(keys, id);
    const issuer = {
      cert: new X509Certificate(client.leaf),
      privateKey: createPrivateKey(client.key),
    };
    const below = await newLeaf('below', issuer);
    await register(await newIdentity(), below);
    await expectRefused(sending(below, client.cert));
  });
});

describe('an authority of others', () => {
  let root: CertificateIssuer;
  let caId: string;

  const add = async (settings: object = {}): Promise<void> => {
    root = await newAuthority(unique('Third Party'));
    caId = await controller.create('cas', {
      name: unique('ca'),
      certPem: root.cert.toString(),
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: false,
      isOttCaEnrollmentEnabled: false,
      identityRoles: [],
      ...settings,
    });
    await runSql(controller, 'update certificate_authority set is_verified = true where id = $1', [
      caId,
    ]);
  };

  test('vouches for certificates that are registered', async () => {
    await add();
    const leaf = await newLeaf('device', root);
    const id = await newIdentity();
    const authenticatorId = await register(id, leaf);
    await expect(sessionOf(leaf)).resolves.toMatchObject({
      identityId: id,
      authenticatorId,
      isCertExtendable: false,
      improperClientCertChain: false,
    });
    await expectRefused(await newLeaf('device', root));
  });

  test('vouches by way of intermediates that are sent along', async () => {
    await add();
    const intermediate = await newAuthority('Third Party Signer', root);
    const leaf = await newLeaf('device', intermediate);
    const id = await newIdentity();
    await register(id, leaf);
    await expectRefused(leaf);
    await expect(sessionOf(sending(leaf, intermediate.cert))).resolves.toMatchObject({
      identityId: id,
    });
  });

  test('does not vouch by the intermediate of another', async () => {
    await add();
    const elsewhere = await newAuthority('Elsewhere');
    const intermediate = await newAuthority('Elsewhere Signer', elsewhere);
    const leaf = await newLeaf('device', intermediate);
    await register(await newIdentity(), leaf);
    await expectRefused(sending(leaf, intermediate.cert, root.cert));
  });

  test.each<[string, string]>([
    ['is not verified', 'is_verified = false'],
    ['is not enabled for it', 'is_auth_enabled = false'],
  ])('that %s vouches for nothing', async (_, state) => {
    await add();
    const leaf = await newLeaf('device', root);
    await register(await newIdentity(), leaf);
    await runSql(controller, `update certificate_authority set ${state} where id = $1`, [caId]);
    await expectRefused(leaf);
  });

  test.each([
    [true, 200],
    [false, 401],
  ])('and an expired certificate, where the policy says %s, is %d', async (allowed, expected) => {
    await add();
    const leaf = await newLeaf('device', root, { isExpired: true });
    const policy = authPolicy({ cert: { allowExpiredCerts: allowed } });
    const authPolicyId = await controller.create('auth-policies', policy);
    await register(await newIdentity({ authPolicyId }), leaf);
    expect((await logIn(leaf)).status).toBe(expected);
  });

  test('and an expired certificate log in under the built-in policy, until that is changed', async () => {
    await add();
    const leaf = await newLeaf('device', root, { isExpired: true });
    await register(await newIdentity(), leaf);
    const setAllowed = (allowExpiredCerts: boolean) =>
      controller.rest('PATCH', '/auth-policies/default', {
        primary: { cert: { allowExpiredCerts } },
      });
    expect((await logIn(leaf)).status).toBe(200);
    expect((await setAllowed(false)).status).toBe(200);
    await expectRefused(leaf);
    await setAllowed(true);
    expect((await logIn(leaf)).status).toBe(200);
  });

  describe('with an externalIdClaim', () => {
    const claim = (change: object): object => ({
      externalIdClaim: { ...COMMON_NAME_CLAIM, ...change },
    });

    test.each<[string, object, (externalId: string) => Promise<ClientCertificate>]>([
      ['in the common name', {}, (id) => newLeaf(id, root)],
      [
        'in an e-mail address',
        { location: 'SAN_EMAIL', matcher: 'SUFFIX', matcherCriteria: '@example.com' },
        (id) =>
          newLeaf('x', root, {
            names: [
              { type: 'email', value: 'somebody@elsewhere.com' },
              { type: 'email', value: `${id}@example.com` },
            ],
          }),
      ],
      [
        'in a part of a URI',
        {
          location: 'SAN_URI',
          matcher: 'SCHEME',
          matcherCriteria: 'spiffe',
          parser: 'SPLIT',
          parserCriteria: '/',
          index: 3,
        },
        (id) => newLeaf('x', root, { names: [{ type: 'url', value: `spiffe://elsewhere/${id}` }] }),
      ],
    ])('finds the identity by what is %s', async (_, change, leafFor) => {
      await add(claim(change));
      const externalId = unique('external');
      const id = await newIdentity({ externalId });
      const leaf = await leafFor(externalId);
      await expect(sessionOf(leaf)).resolves.toMatchObject({
        identityId: id,
        authenticatorId: 'internal',
        isCertExtendable: false,
      });
    });

    test('does not find an identity by the name of an authority below it', async () => {
      await add(claim({}));
      const externalId = unique('victim');
      await newIdentity({ externalId, isAdmin: true });
      const { cert, privateKey } = await newAuthority(externalId, root);
      await expectRefused(withKey(cert.toString(), privateKey));
      const leaf = await newLeaf(externalId, { cert, privateKey });
      expect((await logIn(sending(leaf, cert))).status).toBe(200);
    });

    test('finds nobody by an id that nobody has', async () => {
      await add(claim({}));
      await expectRefused(await newLeaf('nobody', root));
    });

    test('falls back to registered certificates', async () => {
      await add(claim({ location: 'SAN_URI' }));
      const leaf = await newLeaf('device', root);
      const id = await newIdentity();
      await register(id, leaf);
      await expect(sessionOf(leaf)).resolves.toMatchObject({ identityId: id });
    });

    test('reads the leaf alone', async () => {
      await add(claim({}));
      const externalId = unique('victim');
      await newIdentity({ externalId, isAdmin: true });
      const ofVictim = await newLeaf(externalId, root);
      const own = await newLeaf('nobody', root);
      await expectRefused(sending(own, ofVictim.cert));
    });

    test('says nothing for certificates of the network', async () => {
      await add(claim({}));
      const externalId = unique('victim');
      const victim = await newIdentity({ externalId });
      const leaf = await newLeaf(externalId, keys.signer);
      await expectRefused(leaf);
      const id = await newIdentity();
      await register(id, leaf);
      await expect(sessionOf(leaf)).resolves.toMatchObject({ identityId: id });
      expect(victim).not.toBe(id);
    });
  });
});

describe('GraphQL', () => {
  test('takes the certificate of the connection too', async () => {
    const id = await newIdentity();
    const certificate = await networkCertificate(keys, id);
    await register(id, { cert: certificate.leaf });
    const answer = await call(controller, 'POST', '/graphql', {
      certificate,
      body: {
        query: 'mutation { authenticate(method: "cert", input: {}) { identityId } }',
      },
    });
    expect(answer.body).toMatchObject({ data: { authenticate: { identityId: id } } });
  });
});
