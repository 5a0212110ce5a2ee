import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { callerOf, InProcess, InProcessRest } from '../../support/in-process.js';
import { unique } from './client.js';
import { contextOf } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/* Groups in the tokens of an identity provider are role attributes for a time. */

const MINUTES = 600;
const MINUTE = 60_000;

let controller: InProcess;
let rest: InProcessRest;
let signer: OutsideSigner;
let signerId: string;
let prefix: string;
let ada: string;

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});
beforeEach(async () => {
  signer = await OutsideSigner.create(unique('company'));
  prefix = `${unique('idp')}:`;
  signerId = await newSigner(signer);
  ada = await newIdentity(['desk']);
});

const RULES = (): Row => ({
  roleAttributeClaims: ['groups', '/org/team'],
  roleAttributePrefix: prefix,
  roleAttributeMinutes: MINUTES,
});

const newSigner = (outside: OutsideSigner, rules: Row = RULES()): Promise<string> =>
  controller.create('ExternalJwtSigner', { ...outside.settings, ...rules });

const newIdentity = (roleAttributes: readonly string[] = []): Promise<string> =>
  controller.create('Identity', {
    ...{ name: unique('person'), type: 'Default', isAdmin: false },
    roleAttributes: [...roleAttributes],
  });

const LOGIN = 'mutation { authenticate(method: "ext-jwt", input: {}) { id } }';

async function logIn(claims: Row, by = signer, identity = ada): Promise<string | undefined> {
  const authorization = `Bearer ${await by.jwt(identity, claims)}`;
  const { errors } = await controller.graph(
    LOGIN,
    {},
    await contextOf(controller, { authorization }),
  );
  return errors[0]?.code;
}

interface Assignment {
  readonly roleAttribute: string;
  readonly source: string;
  readonly activeUntil: string;
  readonly revision: number;
}

async function assignments(of = ada): Promise<Assignment[]> {
  const { roleAssignments } = await controller.read<{ roleAssignments: { nodes: Assignment[] } }>(
    `query ($filter: String!) { roleAssignments(filter: $filter, first: 100) {
      nodes { roleAttribute source activeUntil revision } } }`,
    { filter: `identity = "${of}" sort by roleAttribute` },
  );
  return roleAssignments.nodes;
}

async function effective(of = ada): Promise<readonly string[]> {
  const { identity } = await controller.read<{
    identity: { effectiveRoleAttributes: readonly string[] };
  }>('query ($id: ID!) { identity(id: $id) { effectiveRoleAttributes } }', { id: of });
  return identity.effectiveRoleAttributes;
}

const update = (input: Row, ctx = controller.ctx()) =>
  controller.graph(
    `mutation ($id: ID!, $input: UpdateExternalJwtSignerInput!) {
      updateExternalJwtSigner(id: $id, input: $input) { id } }`,
    { id: signerId, input },
    ctx,
  );

describe('a login', () => {
  test('gives what the claims name, beside what is written by hand, for a time', async () => {
    const before = Date.now();
    expect(await logIn({ groups: ['staff', 'on-call'], org: { team: 'red' } })).toBeUndefined();
    const given = ['on-call', 'red', 'staff'].map((name) => prefix + name);
    expect(await effective()).toEqual(['desk', ...given]);
    for (const { source, activeUntil } of await assignments()) {
      expect(source).toBe(`signer:${signerId}`);
      const lasts = Date.parse(activeUntil) - before;
      expect(lasts).toBeGreaterThanOrEqual(MINUTES * MINUTE);
      // A tenth more, and the time of this test.
      expect(lasts).toBeLessThanOrEqual(1.1 * MINUTES * MINUTE + (Date.now() - before));
    }
  });

  test('takes away what its token does not claim any more, of this signer alone', async () => {
    const other = await OutsideSigner.create(unique('partner'));
    const otherPrefix = `${unique('partner')}:`;
    await newSigner(other, { ...RULES(), roleAttributePrefix: otherPrefix });
    await logIn({ groups: ['staff', 'on-call'] });
    await logIn({ groups: ['guest'] }, other);
    await logIn({ groups: ['staff'] });
    expect(await effective()).toEqual(['desk', `${prefix}staff`, `${otherPrefix}guest`].sort());
    await logIn({});
    expect(await effective()).toEqual(['desk', `${otherPrefix}guest`].sort());
  });

  test('writes nothing while the attributes stand and last long enough', async () => {
    await logIn({ groups: ['staff'] });
    const first = await assignments();
    await update({ roleAttributeMinutes: MINUTES / 2 });
    await logIn({ groups: ['staff'] });
    expect(await assignments()).toEqual(first);
  });

  test('renews the end', async () => {
    await logIn({ groups: ['staff'] });
    const [first] = await assignments();
    await update({ roleAttributeMinutes: 3 * MINUTES });
    await logIn({ groups: ['staff'] });
    const [renewed, ...more] = await assignments();
    expect(more).toEqual([]);
    expect(Date.parse(String(renewed?.activeUntil))).toBeGreaterThan(
      Date.parse(String(first?.activeUntil)),
    );
    expect(await effective()).toEqual(['desk', `${prefix}staff`]);
  });

  test('takes no value that can not be an attribute', async () => {
    const groups = ['', 'a\0b', 'x'.repeat(300), null, { name: 'object' }, ['list'], 'good'];
    expect(await logIn({ groups })).toBeUndefined();
    expect(await effective()).toEqual(['desk', `${prefix}good`]);
  });

  test('goes on without attributes that an access rule forbids, and without those it lost', async () => {
    await logIn({ groups: ['staff', 'guest'] });
    await controller.create('Service', {
      name: unique('vault'),
      encryptionRequired: true,
      roleAttributes: ['vault'],
    });
    await controller.create('ServicePolicy', {
      ...{ name: unique('open'), type: 'Dial', semantic: 'AnyOf' },
      ...{ identityRoles: [`#${prefix}root`], serviceRoles: ['#vault'] },
    });
    await controller.create('AccessRule', {
      ...{ name: unique('rule'), kind: 'MUST_NEVER_REACH', type: 'Dial', semantic: 'AnyOf' },
      ...{ identityRoles: [`@${ada}`], serviceRoles: ['#vault'] },
    });
    expect(await logIn({ groups: ['staff', 'root'] })).toBeUndefined();
    expect(await effective()).toEqual(['desk', `${prefix}staff`]);
  });

  test('without a signature gives nothing', async () => {
    const other = await OutsideSigner.create(unique('thief'));
    const token = await other.jwt(
      ada,
      { iss: signer.issuer, groups: ['staff'] },
      { kid: signer.kid },
    );
    const ctx = await contextOf(controller, { authorization: `Bearer ${token}` });
    expect((await controller.graph(LOGIN, {}, ctx)).errors[0]?.code).toBe('UNAUTHORIZED');
    expect(await effective()).toEqual(['desk']);
  });
});

describe('the prefix', () => {
  const fieldOf = ({ errors }: Awaited<ReturnType<typeof update>>): unknown =>
    errors.map((error) => [error?.code, (error?.detail as { field?: string } | undefined)?.field]);

  test('is nobody else’s: neither by hand, nor by a directory, nor by another signer', async () => {
    const written = await controller.graph(
      `mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }`,
      { id: ada, input: { roleAttributes: [`${prefix}staff`] } },
    );
    expect(fieldOf(written)).toEqual([['COULD_NOT_VALIDATE', 'roleAttributes']]);
    const directory = { name: unique('directory'), roleAttributePrefix: prefix };
    await expect(controller.create('Directory', directory)).rejects.toThrow();
    const other = await OutsideSigner.create(unique('copy'));
    await expect(newSigner(other)).rejects.toThrow();
    expect(await effective()).toEqual(['desk']);
  });

  test('can not be one that people use already', async () => {
    const used = `${unique('team')}:`;
    await newIdentity([`${used}red`]);
    expect(fieldOf(await update({ roleAttributePrefix: used }))).toEqual([
      ['COULD_NOT_VALIDATE', 'roleAttributePrefix'],
    ]);
  });

  test('stays while identities have attributes by it', async () => {
    const change = { roleAttributePrefix: `${unique('new')}:` };
    await logIn({ groups: ['staff'] });
    expect(fieldOf(await update(change))).toEqual([['COULD_NOT_VALIDATE', 'roleAttributePrefix']]);
    await logIn({});
    expect(fieldOf(await update(change))).toEqual([]);
  });

  test('is required with claims', async () => {
    expect(fieldOf(await update({ roleAttributePrefix: null }))).toEqual([
      ['COULD_NOT_VALIDATE', 'roleAttributePrefix'],
    ]);
  });
});

describe('the rules of a signer', () => {
  test('are written by those who may write role attributes of identities', async () => {
    const writer = controller.ctx(callerOf('writer', 'external-jwt-signer'));
    for (const input of [{ roleAttributeMinutes: 5 }, { roleAttributeClaims: ['name'] }]) {
      expect((await update(input, writer)).errors[0]?.code).toBe('UNAUTHORIZED');
    }
    expect((await update({ name: unique('renamed') }, writer)).errors).toEqual([]);
    const both = controller.ctx(callerOf('writer', 'external-jwt-signer', 'identity'));
    expect((await update({ roleAttributeMinutes: 5 }, both)).errors).toEqual([]);
  });

  test('survive a client that writes back the signer as REST shows it', async () => {
    const path = `/external-jwt-signers/${signerId}`;
    const shown = (await rest.get(path)).body.data as unknown as Row;
    expect((await rest.send('PUT', path, shown)).status).toBe(200);
    const { externalJwtSigner } = await controller.read<{ externalJwtSigner: Row }>(
      `query ($id: ID!) { externalJwtSigner(id: $id) {
        roleAttributeClaims roleAttributePrefix roleAttributeMinutes } }`,
      { id: signerId },
    );
    expect(externalJwtSigner).toEqual({
      ...RULES(),
      roleAttributeClaims: expect.arrayContaining(['groups', '/org/team']),
    });
  });

  test('end with the signer, with all that it gave', async () => {
    await logIn({ groups: ['staff'] });
    await controller.read('mutation ($id: ID!) { deleteExternalJwtSigner(id: $id) }', {
      id: signerId,
    });
    expect(await effective()).toEqual(['desk']);
    expect(await assignments()).toEqual([]);
  });

  test('show in a preview what a token would give, and give nothing', async () => {
    const token = await signer.jwt(ada, { groups: ['staff'] });
    const { previewExternalJwt } = await controller.read<{ previewExternalJwt: Row }>(
      'query ($token: String!) { previewExternalJwt(token: $token) { refusal roleAttributes } }',
      { token },
    );
    expect(previewExternalJwt).toEqual({ refusal: null, roleAttributes: [`${prefix}staff`] });
    expect(await effective()).toEqual(['desk']);
  });
});
