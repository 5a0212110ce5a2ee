import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { sessionFacts, type ProvedClient } from '../../../src/data/rows/terminator/index.js';
import { InProcess } from '../../support/in-process.js';

/* The token of a session for a service counts only for the client whose API session opened it. */

let controller: InProcess;
let serviceId: string;
let own: Client;
let other: Client;
/** Of the same identity as `own`. */
let otherSession: Client;
/** It logged in over OpenID Connect. */
let openId: Client;

/** A client with two certificates, and its tokens to dial and to host. */
interface Client {
  readonly identityId: string;
  readonly apiSessionId: string;
  readonly apiSessionToken: string;
  readonly certificate: string;
  readonly sessionCertificate: string;
  readonly dialToken: string;
  readonly bindToken: string;
}

beforeAll(async () => {
  controller = await InProcess.start();
  serviceId = await controller.create('Service', { name: 's', encryptionRequired: false });
  own = await newClient('own');
  other = await newClient('other');
  otherSession = await newClient('other-session', own);
  openId = await newClient('open-id');
  await controller.parts.store.query(
    sql`update api_session set oidc_client = 'native' where id = ${openId.apiSessionId}::text`,
  );
});
afterAll(() => controller.stop());

async function newClient(name: string, as?: Client): Promise<Client> {
  const { store } = controller.parts;
  const input = { name, type: 'Default', isAdmin: false };
  const identityId = as?.identityId ?? (await controller.create('Identity', input));
  const { id: apiSessionId, token: apiSessionToken } = await controller.openSession(identityId);
  const certificate = as?.certificate ?? `certificate of ${name}`;
  const sessionCertificate = `session certificate of ${name}`;
  if (!as) {
    await store.query(
      sql`insert into authenticator (id, created_at, updated_at, identity_id, method, fingerprint)
        values (${name}::text, now(), now(), ${identityId}::text, 'cert', ${certificate}::text)`,
    );
  }
  await store.query(
    sql`insert into api_session_certificate (id, created_at, updated_at, api_session_id, subject, fingerprint, certificate, valid_from, valid_to)
      values (${name}::text, now(), now(), ${apiSessionId}::text, '', ${sessionCertificate}::text, '', now(), now())`,
  );
  const tokenFor = async (type: 'Dial' | 'Bind'): Promise<string> => {
    const token = `${name} ${type}`;
    await store.query(
      sql`insert into session (id, created_at, updated_at, token, api_session_id, identity_id, service_id, type)
        values (${token}::text, now(), now(), ${token}::text, ${apiSessionId}::text, ${identityId}::text, ${serviceId}::text, ${type}::text)`,
    );
    return token;
  };
  const [dialToken, bindToken] = [await tokenFor('Dial'), await tokenFor('Bind')];
  const certificates = { certificate, sessionCertificate };
  return { identityId, apiSessionId, apiSessionToken, ...certificates, dialToken, bindToken };
}

const byToken = (token: string, ...fingerprints: string[]): ProvedClient => ({
  apiSession: { token },
  fingerprints,
});
const byCertificates = (...fingerprints: string[]): ProvedClient => ({
  apiSession: null,
  fingerprints,
});
/** The client showed an access token of this API session. */
const byAccessToken = ({ apiSessionId: id }: Client): ProvedClient => ({
  apiSession: { id },
  fingerprints: [],
});

const CLIENTS: readonly (readonly [string, () => ProvedClient | null, boolean])[] = [
  ['the API session', () => byToken(own.apiSessionToken), true],
  ['the API session of another identity', () => byToken(other.apiSessionToken), false],
  ['another API session of the identity', () => byToken(otherSession.apiSessionToken), false],
  ['an unknown API session', () => byToken('unknown'), false],
  [
    'the API session of another identity, with the certificate of the right one',
    () => byToken(other.apiSessionToken, own.certificate),
    false,
  ],
  ['the certificate of the identity', () => byCertificates(own.certificate), true],
  ['the certificate of the API session', () => byCertificates(own.sessionCertificate), true],
  ['the right certificate and its issuer', () => byCertificates('issuer', own.certificate), true],
  ['the certificate of another identity', () => byCertificates(other.certificate), false],
  [
    'the certificate of the API session of another identity',
    () => byCertificates(other.sessionCertificate),
    false,
  ],
  [
    'the certificate of another API session of the identity',
    () => byCertificates(otherSession.sessionCertificate),
    false,
  ],
  ['an unknown certificate', () => byCertificates('unknown'), false],
  ['nothing', () => byCertificates(), false],
  ['an access token of an older session', () => byAccessToken(own), false],
  ['the router itself', () => null, true],
];

/** The identities to which the tokens of the client that logged in over OpenID Connect count. */
async function countingFor(client: ProvedClient): Promise<(string | undefined)[]> {
  const { store } = controller.parts;
  const dial = await sessionFacts.ofDial(store, { token: openId.dialToken, client }, '');
  const bind = { token: openId.bindToken, client };
  const terminator = { id: 'new', instanceId: '' };
  return [dial?.identityId, (await sessionFacts.ofBind(store, bind, terminator))?.identityId];
}
const NOBODY = [undefined, undefined];

describe('a client over OpenID Connect', () => {
  test('has proved its access token', async () => {
    const { identityId } = openId;
    expect(await countingFor(byAccessToken(openId))).toEqual([identityId, identityId]);
    expect(await countingFor(byAccessToken(own))).toEqual(NOBODY);
  });

  test('has no other token of its API session', async () => {
    expect(await countingFor(byToken(openId.apiSessionToken))).toEqual(NOBODY);
  });

  test('has not proved by its certificate that it still has an access token', async () => {
    expect(await countingFor(byCertificates(openId.certificate))).toEqual(NOBODY);
  });

  test('that still owes its second factor has proved nothing', async () => {
    const { store } = controller.parts;
    const owes = (is: boolean) =>
      store.query(
        sql`update api_session set is_mfa_required = ${is}::bool where id = ${openId.apiSessionId}::text`,
      );
    await owes(true);
    expect(await countingFor(byAccessToken(openId))).toEqual(NOBODY);
    await owes(false);
  });
});

describe('a client that has proved', () => {
  test.each(CLIENTS)('%s', async (_, clientOf, counts) => {
    const { store } = controller.parts;
    const client = clientOf();
    const dial = await sessionFacts.ofDial(store, { token: own.dialToken, client }, '');
    const bind = await sessionFacts.ofBind(
      store,
      { token: own.bindToken, client },
      { id: 'new', instanceId: '' },
    );
    const expected = counts ? own.identityId : undefined;
    expect([dial?.identityId, bind?.identityId]).toEqual([expected, expected]);
  });
});
