import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { InProcess } from '../../support/in-process.js';
import { newKey } from './certificates.js';
import { authPolicy } from './client.js';
import { contextOf, inSession, newUser, TestClock } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/*
 * Why a JWT of an external signer is refused: administrators see a code and a text in failed logins
 * and in the log, clients see neither.
 */

const clock = new TestClock(Date.now());
const seconds = Math.floor(clock.now().getTime() / 1000);
const EXTERNAL_ID = 'Ada@Example.com';

let controller: InProcess;
let signer: OutsideSigner;
let signerId: string;
let ada: string;
const lines: Row[] = [];

/** What the condition of the signer wants. */
const OFFICE = { realm: 'office' };

beforeAll(async () => {
  controller = await InProcess.start(undefined, {
    now: clock.now,
    onLogLine: (line) => lines.push(line),
  });
  signer = await OutsideSigner.create('outside');
  const conditions = [{ claim: '/realm', values: ['office'] }];
  const settings = {
    ...{ ...signer.settings, conditions },
    ...{ useExternalId: true, enrollToCertEnabled: true },
  };
  signerId = await controller.create('ExternalJwtSigner', settings);
  ({ id: ada } = await newUser(controller, 'lovelace', { externalId: EXTERNAL_ID }));
});
afterAll(() => controller.stop());

type Claims = Record<string, unknown>;
type Header = Parameters<OutsideSigner['jwt']>[2];

const jwt =
  (claims: Claims = {}, header: Header = {}) =>
  (): Promise<string> =>
    signer.jwt(EXTERNAL_ID, { ...OFFICE, ...claims }, header);
const text = (token: string) => () => Promise.resolve(token);

/** What is wrong, the token, its code, and a word of its text. */
const TOKENS: readonly (readonly [string, () => Promise<string>, string, string])[] = [
  ['nothing is sent', text(''), 'MISSING_TOKEN', 'no matching token'],
  ['it is no JWT', text('a.b.c'), 'MALFORMED_TOKEN', 'not a signed JWT'],
  ['its issuer is unknown', jwt({ iss: 'stranger' }), 'UNKNOWN_ISSUER', '(iss)'],
  ['its key id is unknown', jwt({}, { kid: 'other' }), 'UNKNOWN_KEY_ID', '(kid)'],
  ['another key signed it', jwt({}, { key: newKey() }), 'WRONG_SIGNATURE', 'signature'],
  ['it is for others', jwt({ aud: 'others' }), 'WRONG_AUDIENCE', '(aud)'],
  ['it is not valid yet', jwt({ nbf: seconds + 40 }), 'TOKEN_NOT_YET_VALID', '(nbf)'],
  ['it comes from the future', jwt({ iat: seconds + 40 }), 'TOKEN_OF_THE_FUTURE', '(iat)'],
  ['it has expired', jwt({}, { expiresIn: -3_600 }), 'EXPIRED_TOKEN', '(exp)'],
  ['a time is a text', jwt({ nbf: 'now' }), 'INVALID_TIME', 'exp, nbf or iat'],
  ['its claim is missing', jwt({ sub: 7 }), 'MISSING_CLAIM', 'lacks the claim'],
  ['it misses a condition', jwt({ realm: 'home' }), 'UNMET_CONDITION', 'a condition'],
];

/** Valid tokens that name nobody who may log in: they enroll. */
const LOGINS: typeof TOKENS = [
  ...TOKENS,
  ['nobody has its claim', jwt({ sub: 'nobody' }), 'UNKNOWN_CLAIM', 'no identity'],
  ['its claim has NUL', jwt({ sub: 'a\0b' }), 'UNKNOWN_CLAIM', 'no identity'],
  ['its case is wrong', jwt({ sub: 'ada@example.COM' }), 'CLAIM_IN_OTHER_CASE', 'upper or lower'],
];

const LOGIN = 'mutation { authenticate(method: "ext-jwt", input: {}) { id } }';
const ENROLL = 'mutation { enroll(method: "token", input: {}) { cert } }';

interface Group {
  readonly refusal: string;
  readonly reason: string;
  readonly method: string;
  readonly identityId: string | null;
  readonly count: number;
}

const keyOf = ({ method, refusal, identityId }: Omit<Group, 'reason' | 'count'>): string =>
  `${method} ${refusal} ${identityId ?? 'unknown'}`;

async function failedLogins(): Promise<ReadonlyMap<string, Group>> {
  await controller.parts.loginCounts.flush();
  const { overview } = await controller.read<{ overview: { failedLogins: { nodes: Group[] } } }>(
    '{ overview { failedLogins(first: 100) { nodes { refusal reason method identityId count } } } }',
  );
  const { nodes } = overview.failedLogins;
  return new Map(nodes.map((group) => [keyOf(group), group]));
}

/** The group of a refusal that counts one more for the document, and its line of the log. */
async function refusedBy(document: string, token: string, ofGroup: Parameters<typeof keyOf>[0]) {
  const key = keyOf(ofGroup);
  const before = (await failedLogins()).get(key)?.count ?? 0;
  lines.length = 0;
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
  const ctx = await contextOf(controller, headers);
  const { errors } = await controller.graph(document, {}, ctx);
  const [error] = errors;
  // Clients take the other code for the end of a session.
  const code = document === ENROLL ? 'INVALID_ENROLLMENT_TOKEN' : 'UNAUTHORIZED';
  expect({ code: error?.code, detail: error?.detail }).toEqual({ code });
  const group = (await failedLogins()).get(key);
  expect(group?.count).toBe(before + 1);
  expect(lines).toHaveLength(1);
  const [, payload = '', signature = ''] = token.split('.');
  const shown = JSON.stringify([lines, group]);
  for (const part of [payload, signature]) if (part.length > 3) expect(shown).not.toContain(part);
  return { group, line: lines[0] ?? {}, requestId: ctx.requestId };
}

describe('a login', () => {
  test.each(LOGINS)('is refused when %s', async (_, token, refusal, word) => {
    const jwtText = await token();
    const isNamed = refusal === 'CLAIM_IN_OTHER_CASE';
    const identityId = isNamed ? ada : null;
    const ofGroup = { method: 'ext-jwt', refusal, identityId };
    const { group, line, requestId } = await refusedBy(LOGIN, jwtText, ofGroup);
    expect(group?.reason).toContain(word);
    const isOfSigner = !['MISSING_TOKEN', 'MALFORMED_TOKEN', 'UNKNOWN_ISSUER'].includes(refusal);
    expect(line).toMatchObject({
      msg: 'a login was refused',
      refusal,
      reason: group?.reason,
      method: 'ext-jwt',
      address: '127.0.0.1',
      requestId,
      ...(isOfSigner ? { signerId } : {}),
      ...(isNamed ? { identityId: ada } : {}),
    });
    expect('signerId' in line).toBe(isOfSigner);
    expect('identityId' in line).toBe(isNamed);
  });

  test.each(LOGINS)('would be refused when %s', async (_, token, refusal) => {
    const { previewExternalJwt } = await controller.read<{ previewExternalJwt: Row }>(
      'query ($token: String!) { previewExternalJwt(token: $token) { refusal reason } }',
      { token: await token() },
    );
    expect(previewExternalJwt).toMatchObject({ refusal, reason: expect.stringMatching(/./) });
  });

  test('names nobody when several identities nearly have the claim', async () => {
    for (const externalId of ['Twin', 'TWIN']) {
      await newUser(controller, `user ${externalId}`, { externalId });
    }
    const token = await signer.jwt('twin', OFFICE);
    const { line } = await refusedBy(LOGIN, token, {
      method: 'ext-jwt',
      refusal: 'CLAIM_IN_OTHER_CASE',
      identityId: null,
    });
    expect('identityId' in line).toBe(false);
  });

  test('succeeds by the claim as it is, and logs nothing', async () => {
    lines.length = 0;
    const ctx = await contextOf(controller, { authorization: `Bearer ${await jwt()()}` });
    expect((await controller.graph(LOGIN, {}, ctx)).errors).toEqual([]);
    expect(lines).toEqual([]);
  });
});

describe('an enrollment', () => {
  test.each(TOKENS)('is refused when %s', async (_, token, refusal, word) => {
    const { group, line } = await refusedBy(ENROLL, await token(), {
      method: 'enroll',
      refusal,
      identityId: null,
    });
    expect(group?.reason).toContain(word);
    expect(line).toMatchObject({ refusal, method: 'enroll' });
  });
});

describe('a second factor', () => {
  let token: string;
  beforeAll(async () => {
    const authPolicyId = await controller.create(
      'AuthPolicy',
      authPolicy({ secondary: { requireExtJwtSigner: signerId } }),
    );
    const { id } = await newUser(controller, 'babbage', { externalId: 'babbage', authPolicyId });
    ({ token } = await controller.openSession(id));
  });

  /** The lines of a request in the session with a JWT beside it. */
  async function linesOf(jwtText: string | undefined): Promise<Row[]> {
    lines.length = 0;
    const headers: Record<string, string> =
      jwtText === undefined ? {} : { authorization: `Bearer ${jwtText}` };
    const { caller } = await inSession(controller, token, headers);
    expect(caller?.authQueries).toHaveLength(lines.length === 0 && jwtText !== undefined ? 0 : 1);
    return [...lines];
  }

  test.each(TOKENS.slice(1))('is refused when %s', async (_, jwtOf, refusal) => {
    const [line, ...others] = await linesOf(await jwtOf());
    expect(others).toEqual([]);
    expect(line).toMatchObject({ msg: 'a login was refused', refusal, method: 'mfa' });
    const counted = [...(await failedLogins()).values()];
    expect(counted).toContainEqual(
      expect.objectContaining({ method: 'mfa', refusal, identityId: line?.identityId }),
    );
  });

  test('that is right, or that no request tries, is nothing to tell', async () => {
    expect(await linesOf(await signer.jwt('babbage', OFFICE))).toEqual([]);
    expect(await linesOf(undefined)).toEqual([]);
  });
});
