import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { callerOf, InProcess, InProcessRest } from '../../support/in-process.js';
import { authPolicy, unique } from './client.js';
import { contextOf, inSession } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/* A job of a build server logs in by its JWT, without a secret, if it meets the conditions of the signer. */

let controller: InProcess;
let rest: InProcessRest;
let signer: OutsideSigner;
let signerId: string;
let job: string;
let jobId: string;

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

const CONDITIONS = [
  { claim: 'repository', values: ['acme/shop', 'acme/till'], pattern: null },
  { claim: '/ref', values: [], pattern: 'refs/heads/(main|release-[0-9]+)' },
];
const GOOD = { repository: 'acme/shop', ref: 'refs/heads/release-7' };

beforeEach(async () => {
  signer = await OutsideSigner.create(unique('builds'));
  const input = { ...signer.settings, conditions: CONDITIONS, useExternalId: true };
  signerId = await controller.create('ExternalJwtSigner', input);
  job = unique('job');
  const identity = { name: job, externalId: job, type: 'Default', isAdmin: false };
  jobId = await controller.create('Identity', identity);
});

const LOGIN = 'mutation { authenticate(method: "ext-jwt", input: {}) { identity { name } } }';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The name of who is logged in by a token with these claims, or the code of the refusal. */
async function loginWith(claims: Row): Promise<unknown> {
  const ctx = await contextOf(controller, bearer(await signer.jwt(job, claims)));
  const { data, errors } = await controller.graph(LOGIN, {}, ctx);
  const session = data?.authenticate as { identity: { name: string } } | undefined;
  return errors[0]?.code ?? session?.identity.name;
}

async function readSigner(): Promise<Row> {
  const { externalJwtSigner } = await controller.read<{ externalJwtSigner: Row }>(
    `query ($id: ID!) { externalJwtSigner(id: $id) { name conditions { claim values pattern } } }`,
    { id: signerId },
  );
  return externalJwtSigner;
}

describe('a token', () => {
  test.each<[string, Row, boolean]>([
    ['all conditions', GOOD, true],
    [
      'all conditions, one by an entry of a list',
      { ...GOOD, repository: ['x', 'acme/till'] },
      true,
    ],
    ['one condition', { repository: 'acme/shop' }, false],
    ['the other condition', { ref: 'refs/heads/main' }, false],
    ['a pattern in a part', { ...GOOD, ref: 'refs/heads/main/../evil' }, false],
    ['a value in other letters', { ...GOOD, repository: 'Acme/Shop' }, false],
    ['none', {}, false],
  ])('that meets %s: %s', async (_, claims, isAccepted) => {
    expect(await loginWith(claims)).toBe(isAccepted ? job : 'UNAUTHORIZED');
  });

  test('proves no second factor unless it meets them', async () => {
    const secondary = { requireExtJwtSigner: signerId };
    const authPolicyId = await controller.create('AuthPolicy', authPolicy({ secondary }));
    const name = unique('person');
    const person = { name, externalId: name, type: 'Default', isAdmin: false, authPolicyId };
    const id = await controller.create('Identity', person);
    const { token } = await controller.openSession(id);
    const lacksWith = async (claims: Row): Promise<unknown> => {
      const headers = bearer(await signer.jwt(name, claims));
      return (await inSession(controller, token, headers)).caller?.authQueries.length;
    };
    expect([await lacksWith(GOOD), await lacksWith({ ref: 'refs/heads/main' })]).toEqual([0, 1]);
  });

  test('counts by the conditions of the moment', async () => {
    const update = (conditions: readonly Row[]) =>
      controller.read(
        `mutation ($id: ID!, $input: UpdateExternalJwtSignerInput!) {
          updateExternalJwtSigner(id: $id, input: $input) { id } }`,
        { id: signerId, input: { conditions } },
      );
    expect(await loginWith({})).toBe('UNAUTHORIZED');
    await update([]);
    expect(await loginWith({})).toBe(job);
    await update([{ claim: 'admin', values: ['true'] }]);
    expect([await loginWith({}), await loginWith({ admin: true })]).toEqual(['UNAUTHORIZED', job]);
  });
});

describe('the conditions', () => {
  test('survive an older client that writes the signer back without them', async () => {
    const path = `/external-jwt-signers/${signerId}`;
    const { conditions, ...shown } = (await rest.get(path)).body.data as unknown as Row;
    expect(conditions).toEqual(CONDITIONS);
    const changed = { ...shown, name: 'renamed' };
    expect((await rest.send('PUT', path, changed)).status).toBe(200);
    expect((await rest.send('PATCH', path, { enabled: true })).status).toBe(200);
    expect(await readSigner()).toEqual({ name: 'renamed', conditions: CONDITIONS });
  });

  test('of somebody without the permission to write signers stay as they are', async () => {
    const { errors } = await controller.graph(
      `mutation ($id: ID!) { updateExternalJwtSigner(id: $id, input: { conditions: [] }) { id } }`,
      { id: signerId },
      controller.ctx(callerOf('reader', 'external-jwt-signer.read')),
    );
    expect(errors[0]?.code).toBe('UNAUTHORIZED');
    expect(await readSigner()).toMatchObject({ conditions: CONDITIONS });
  });

  test('that others than administrators change take away the trust for administrators', async () => {
    const { updateExternalJwtSigner } = await controller.read<{ updateExternalJwtSigner: Row }>(
      `mutation ($id: ID!) {
        updateExternalJwtSigner(id: $id, input: { conditions: [] }) { trustedForManagement } }`,
      { id: signerId },
      controller.ctx(callerOf('writer', 'external-jwt-signer')),
    );
    expect(updateExternalJwtSigner).toEqual({ trustedForManagement: false });
  });
});

describe('the preview of a token', () => {
  const PREVIEW = `query ($token: String!) { previewExternalJwt(token: $token) {
    refusal reason signer { id } identity { name } conditions { claim isMet } } }`;
  const preview = async (token: string): Promise<unknown> => {
    const answer = await controller.read<{ previewExternalJwt: Row }>(PREVIEW, { token });
    return answer.previewExternalJwt;
  };

  test('that counts shows who would log in, and logs nobody in', async () => {
    const token = await signer.jwt(job, GOOD);
    expect(await preview(token)).toEqual({
      refusal: null,
      reason: null,
      signer: { id: signerId },
      identity: { name: job },
      conditions: [
        { claim: 'repository', isMet: true },
        { claim: '/ref', isMet: true },
      ],
    });
    const { identity } = await controller.read<{ identity: Row }>(
      'query ($id: ID!) { identity(id: $id) { hasApiSession } }',
      { id: jobId },
    );
    expect(identity).toEqual({ hasApiSession: false });
  });

  test('that has expired and lacks a claim shows both', async () => {
    const token = await signer.jwt(job, { repository: 'acme/shop' }, { expiresIn: -100 });
    expect(await preview(token)).toMatchObject({
      refusal: 'EXPIRED_TOKEN',
      reason: 'token expired (exp)',
      identity: null,
      conditions: [{ isMet: true }, { isMet: false }],
    });
  });

  test('that is none says so', async () => {
    expect(await preview('nonsense')).toMatchObject({
      ...{ refusal: 'MALFORMED_TOKEN', signer: null, identity: null, conditions: [] },
    });
  });

  test('is for those who may read signers, and names the identity to those who may read identities', async () => {
    const token = await signer.jwt(job, GOOD);
    const shownTo = async (...permissions: string[]): Promise<unknown> => {
      const ctx = controller.ctx(callerOf('reader', ...permissions));
      const document =
        'query ($token: String!) { previewExternalJwt(token: $token) { refusal identityId } }';
      const { data, errors } = await controller.graph(document, { token }, ctx);
      return errors[0]?.code ?? data?.previewExternalJwt;
    };
    expect(await shownTo('identity')).toBe('UNAUTHORIZED');
    expect(await shownTo('external-jwt-signer')).toEqual({ refusal: null, identityId: null });
    expect(await shownTo('external-jwt-signer', 'identity')).toEqual({
      refusal: null,
      identityId: jobId,
    });
  });
});
