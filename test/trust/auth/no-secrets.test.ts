import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import {
  keysOf,
  networkCertificate,
  newCsr,
  newKey,
  type NetworkCertificate,
} from './certificates.js';
import {
  authenticate,
  bearersOf,
  call,
  newPerson,
  PASSWORD,
  runSql,
  sessionIn,
  unique,
} from './client.js';
import { oneTimeCode, secretIn, wrongCode } from './one-time-code.js';
import { OutsideSigner } from './signers.js';

/*
 * Whatever happens, nothing of what lets people in shows up in the log of the controller or in an
 * error. Everything of this folder that handles secrets is done once, rightly and wrongly, with
 * the log at its most talkative, and with a database that fails.
 */

const METRICS_TOKEN = 'M3tr1cs-of-this-test';

let controller: ControllerProcess & { dataDir: string };
let log = '';
const secrets = new Map<string, string>();
const errors: string[] = [];

/** Remembers a text that must not be seen again. */
function secret(what: string, text: string): string {
  expect(text.length).toBeGreaterThan(4);
  secrets.set(what, text);
  return text;
}

type Sent = Parameters<typeof call>[3];

async function send(method: string, path: string, options: Sent = {}) {
  const answer = await call(controller, method, path, options);
  if (answer.status >= 400) errors.push(answer.text, JSON.stringify(answer.headers));
  return answer;
}

beforeAll(async () => {
  controller = await startControllerProcess({
    env: {
      OVERGRAPH_LOGIN_LIMIT: '0',
      OVERGRAPH_LOG_LEVEL: 'trace',
      OVERGRAPH_METRICS_TOKEN: METRICS_TOKEN,
    },
  });
  for (const stream of [controller.child.stdout, controller.child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  }
});

let isStopped = false;
const stop = async (): Promise<void> => {
  if (!isStopped) await controller.stop();
  isStopped = true;
};
afterAll(stop);

async function usePasswords(): Promise<void> {
  const username = unique('person');
  const identity = { name: username, type: 'Default', isAdmin: false };
  const identityId = await controller.create('identities', identity);
  const password = secret('the password', 'first-Secret-77');
  const created = { identityId, method: 'updb', username, password };
  const authenticatorId = await controller.create('authenticators', created);
  const body = { username, password };
  const { token } = sessionIn(await send('POST', '/authenticate?method=password', { body }));
  secret('the session', token);
  const wrong = { username, password: secret('a wrong password', 'wrong-Secret-88') };
  await send('POST', '/authenticate?method=password', { body: wrong });
  await send('POST', '/authenticate?method=password', {
    body: { username, password: ['oops', password] },
  });
  const path = `/current-identity/authenticators/${authenticatorId}`;
  const headers = { 'zt-session': token };
  for (const next of [
    secret('a new password', 'second-Secret-99'),
    '1234',
    12345,
    'x'.repeat(101),
  ]) {
    await send('PATCH', path, {
      headers,
      body: { password: next, currentPassword: wrong.password },
    });
    await send('PATCH', path, { headers, body: { password: next, currentPassword: 424242 } });
    await send('PATCH', path, { headers, body: { password: next, currentPassword: password } });
  }
  secret('a short password', '"1234"');
  secret('a number for a password', '424242');
  await sendBroken(`{"username":"admin","password":${secret('a broken body', 'third-Secret-11')}}`);
  await sendBroken(`{"password":"${password}" "username":"admin"}`);
  const [row] = await runSql(controller, 'select password_hash from authenticator where id = $1', [
    authenticatorId,
  ]);
  secret('the hash of a password', String(row?.password_hash));
}

/** A body that is no JSON; parsers like to repeat where they stopped. */
async function sendBroken(body: string): Promise<void> {
  for (const path of ['/edge/client/v1/authenticate?method=password', '/graphql']) {
    const headers = { 'content-type': 'application/json' };
    const answer = await controller.send('POST', path, { body, headers });
    expect(answer.status).toBe(400);
    errors.push(answer.text);
  }
}

async function useSecondFactor(): Promise<void> {
  const person = await newPerson(controller);
  const body = { username: person.username, password: PASSWORD };
  const { token } = sessionIn(await send('POST', '/authenticate?method=password', { body }));
  const headers = { 'zt-session': secret('another session', token) };
  await send('POST', '/current-identity/mfa', { headers });
  const { body: pending } = await send('GET', '/current-identity/mfa', { headers });
  const { provisioningUrl, recoveryCodes } = pending.data as {
    provisioningUrl: string;
    recoveryCodes: string[];
  };
  const totp = secret('the TOTP secret', secretIn(provisioningUrl));
  recoveryCodes.forEach((code, i) => secret(`recovery code ${String(i)}`, code));
  const wrong = secret('a wrong code', wrongCode(totp));
  for (const code of [wrong, Number(wrong), [wrong], oneTimeCode(totp)]) {
    await send('POST', '/current-identity/mfa/verify', { headers, body: { code } });
    await send('POST', '/authenticate/mfa', { headers, body: { code } });
  }
  await send('DELETE', '/current-identity/mfa', {
    headers: { ...headers, 'mfa-validation-code': wrong },
  });
}

async function useTokens(): Promise<void> {
  const signer = await OutsideSigner.create('outside');
  await controller.create('external-jwt-signers', signer.settings);
  const person = await newPerson(controller);
  const tokens = {
    'a JWT': await signer.jwt(person.id),
    'a JWT for others': await signer.jwt(person.id, { aud: 'x' }),
    'an old JWT': await signer.jwt(person.id, {}, { expiresIn: -60 }),
    'an unknown JWT': await signer.jwt('nobody', {}, { kid: 'unknown' }),
    'a broken JWT': 'eyJhbGciOiJub25lIn0.eyJpc3MiOiJvdXRzaWRlIn0.c2lnbmF0dXJl',
    'an unknown session': '11111111-2222-4333-8444-555555555555',
  };
  for (const [what, token] of Object.entries(tokens)) {
    secret(what, token);
    secret(`the signature of ${what}`, token.split('.').at(-1) ?? '');
    const headers = { authorization: bearersOf([token]) };
    await send('POST', '/authenticate?method=ext-jwt', { headers });
    await send('GET', '/current-identity', { headers });
    await send('GET', '/current-identity', { headers: { 'zt-session': token } });
    const query = `{ currentApiSession { token } }`;
    await send('POST', '/graphql', { headers: { 'zt-session': token }, body: { query } });
  }
}

async function useCertificates(): Promise<void> {
  const person = await newPerson(controller);
  const keys = await keysOf(controller);
  const certificate: NetworkCertificate = await networkCertificate(keys, person.id);
  await authenticate(controller, 'cert', { certificate });
  const certPem = certificate.leaf;
  await controller.create('authenticators', { identityId: person.id, method: 'cert', certPem });
  const { token } = sessionIn(await authenticate(controller, 'cert', { certificate }));
  const headers = { 'zt-session': secret('the session of a certificate', token) };
  secret('the key of a client', linesOf(certificate.key));
  // A key where a request or a certificate is asked for.
  const key = newKey().export({ type: 'pkcs8', format: 'pem' }).toString();
  secret('a key that was sent', linesOf(key));
  for (const csr of [key, await newCsr(newKey()), 'nonsense']) {
    await send('POST', '/current-api-session/certificates', { headers, body: { csr } });
  }
  await send('POST', '/edge/management/v1/authenticators', {
    headers: { 'zt-session': controller.token },
    body: { identityId: person.id, method: 'cert', certPem: key },
  });
  const { privateKeyPem } = keys.server;
  secret('the key of the server', linesOf(privateKeyPem));
  secret(
    'the key of the signer',
    linesOf(keys.signer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
  );
  secret('the secret key', keys.secretKey.toString('base64'));
}

/** The first line of what is inside a PEM block. */
const linesOf = (pem: string): string => pem.split('\n')[1]?.slice(30) ?? '';

async function useEnrollments(): Promise<void> {
  const identity = {
    name: unique('new'),
    type: 'Default',
    isAdmin: false,
    enrollment: { ott: true },
  };
  const id = await controller.create('identities', identity);
  const { body } = await controller.rest('GET', `/identities/${id}`);
  const { ott } = (body.data as { enrollment: { ott: { token: string; jwt: string } } }).enrollment;
  secret('an enrollment token', ott.token);
  secret('an enrollment JWT', ott.jwt);
}

/** Tokens and values where requests are described: paths, queries, names of documents. */
async function useDescriptions(): Promise<void> {
  const token = secret('the token of the metrics', METRICS_TOKEN);
  const wrong = secret('a wrong token of the metrics', 'Wr0ng-metrics-token');
  for (const text of [token, wrong]) {
    const headers = { authorization: `Bearer ${text}`, 'x-request-id': text, traceparent: text };
    for (const path of ['/metrics?token=', '/metrics/', '/health-checks?type=', '/docs?']) {
      const answer = await controller.send('GET', path + text, { headers });
      if (answer.status >= 400) errors.push(answer.text, JSON.stringify(answer.headers));
    }
    // Faults of a query repeat it to those who sent it, and to nobody else.
    for (const path of [
      `/edge/management/v1/identities/${text}?filter=${text}`,
      `/graphql?query={version(${text}:1)}&operationName=${text}`,
      `/edge/client/v1/enroll?method=ott&token=${text}`,
    ]) {
      await controller.send('GET', path, { headers: { ...headers, accept: '*/*' } });
      await controller.send('POST', path, { headers });
    }
    await controller.graphql('query ($f: String) { identities(filter: $f) { totalCount } }', {
      f: `name = "${text}`,
    });
    await controller.graphql(`{ identities(filter: ${JSON.stringify(text)}) { totalCount } }`);
  }
}

/** Faults that nobody expects, while secrets are on their way to the database. */
async function breakDatabase(): Promise<void> {
  const body = { username: 'admin', password: secret('the admin’s password', 'correct horse') };
  const breaking = [
    ['api_session', 'token'],
    ['authenticator', 'password_hash'],
    ['mfa', 'secret'],
    ['enrollment', 'jwt'],
  ] as const;
  const person = await newPerson(controller);
  const headers = {
    'zt-session': sessionIn(await authenticate(controller, 'password', { body })).token,
  };
  const identityId = await controller.create('identities', {
    name: unique('x'),
    type: 'Default',
    isAdmin: false,
  });
  const use = async (): Promise<void> => {
    await send('POST', '/authenticate?method=password', { body });
    await send('POST', '/current-identity/mfa', { headers });
    const password = secret('a password on its way', 'fourth-Secret-22');
    await send('POST', '/edge/management/v1/authenticators', {
      headers,
      body: { identityId, method: 'updb', username: unique('user'), password },
    });
    await send('PATCH', `/edge/management/v1/authenticators/${person.authenticatorId}`, {
      headers,
      body: { password },
    });
    await send('POST', '/edge/management/v1/enrollments', {
      headers,
      body: { identityId, method: 'ott', expiresAt: new Date(Date.now() + 60_000).toISOString() },
    });
  };
  for (const [table, column] of breaking) {
    await runSql(controller, `alter table ${table} rename column ${column} to broken`);
    await use();
    await runSql(controller, `alter table ${table} rename column broken to ${column}`);
    // The server repeats the whole row when it refuses it.
    await runSql(controller, `alter table ${table} add column broken text not null default ''`);
    await runSql(controller, `alter table ${table} alter column broken drop default`);
    await use();
    await runSql(controller, `alter table ${table} drop column broken`);
  }
}

describe('secrets', () => {
  test('are in no log line and in no error', async () => {
    await usePasswords();
    await useSecondFactor();
    await useTokens();
    await useCertificates();
    await useEnrollments();
    await useDescriptions();
    const before = log.length;
    await breakDatabase();
    await stop();

    // The test sees what it should: faults were logged, and errors were answered.
    expect(log.slice(before)).toContain('a request failed unexpectedly');
    expect(errors.length).toBeGreaterThan(50);
    expect(errors.filter((text) => text.includes('UNHANDLED')).length).toBeGreaterThan(2);
    const answered = errors.join('\n');
    const leaks = [...secrets].flatMap(([what, whole]) => {
      // A piece is one piece too many.
      const text = whole.slice(0, 8);
      return [
        ...(log.includes(text) ? [`${what} in the log`] : []),
        ...(answered.includes(text) ? [`${what} in an error`] : []),
      ];
    });
    expect(leaks).toEqual([]);
  });
});
