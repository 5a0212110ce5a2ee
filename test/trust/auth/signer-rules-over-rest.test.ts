import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { InProcess, InProcessRest } from '../../support/in-process.js';
import { unique } from './client.js';
import { OutsideSigner } from './signers.js';

/** The rules of a signer that the published contract does not know, in the bodies of REST. */

let controller: InProcess;
let rest: InProcessRest;
let writer: InProcessRest;
let signer: OutsideSigner;
let path: string;

const RULES = (): Row => ({
  conditions: [
    { claim: 'repository', values: ['acme/shop'], pattern: null },
    { claim: 'ref', values: [], pattern: 'refs/heads/.*' },
  ],
  adminClaims: [{ claim: 'groups', values: ['admins'], isAdmin: true, permissions: [] }],
  roleAttributeClaims: ['groups'],
  roleAttributePrefix: `${unique('company')}:`,
  roleAttributeMinutes: 1_440,
  useExternalId: true,
  createsIdentities: true,
  maxCreatedIdentities: 20,
  idleDaysBeforeDeletion: 90,
  newIdentitiesArePending: true,
});

const DEFAULTS: Row = {
  conditions: [],
  adminClaims: [],
  roleAttributeClaims: [],
  roleAttributePrefix: null,
  roleAttributeMinutes: 10_080,
  createsIdentities: false,
  maxCreatedIdentities: 1_000,
  idleDaysBeforeDeletion: null,
  newIdentitiesArePending: false,
};

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
  const permissions = ['external-jwt-signer', 'identity'];
  const input = { name: unique('writer'), type: 'Default', isAdmin: false, permissions };
  writer = await InProcessRest.listen(controller, await controller.create('Identity', input));
});
afterAll(async () => {
  await writer.stop();
  await rest.stop();
  await controller.stop();
});

async function create(rules: Row): Promise<string> {
  signer = await OutsideSigner.create(unique('company'));
  const body = { ...signer.settings, ...rules };
  const answer = await rest.send('POST', '/external-jwt-signers', body);
  expect(answer.status).toBe(201);
  return `/external-jwt-signers/${String((answer.body.data as unknown as Row).id)}`;
}

const read = async (): Promise<Row> => (await rest.get(path)).body.data;

async function send(
  method: string,
  body: Row,
  by = rest,
): Promise<{ status: number; field: unknown }> {
  const { status, body: answer } = await by.send(method, path, body);
  const { error } = answer as { error?: { cause?: { field?: string } } };
  return { status, field: error?.cause?.field };
}

const isTrusted = async (): Promise<unknown> => {
  const { externalJwtSigner } = await controller.read<{ externalJwtSigner: Row }>(
    `query ($id: ID!) { externalJwtSigner(id: $id) { trustedForManagement } }`,
    { id: path.split('/').at(-1) },
  );
  return externalJwtSigner.trustedForManagement;
};

describe('the rules of a signer', () => {
  let rules: Row;

  beforeEach(async () => {
    rules = RULES();
    path = await create(rules);
  });

  test('are read as they were written, also in lists', async () => {
    expect(await read()).toMatchObject(rules);
    const { body } = await rest.get(
      `/external-jwt-signers?filter=${encodeURIComponent(`issuer = "${signer.issuer}"`)}`,
    );
    expect(body.data).toMatchObject([rules]);
  });

  test('have their defaults where a creation does not name them', async () => {
    path = await create({});
    expect(await read()).toMatchObject(DEFAULTS);
  });

  test('are changed by a PATCH that names them, and only by such a one', async () => {
    expect((await send('PATCH', { clientId: 'other' })).status).toBe(200);
    expect(await read()).toMatchObject(rules);
    const change = { roleAttributeMinutes: 5, conditions: [] };
    expect((await send('PATCH', change)).status).toBe(200);
    expect(await read()).toMatchObject({ ...rules, ...change });
  });

  test('are changed by a PUT that names them, and stay without it', async () => {
    const shown = await read();
    const change = { adminClaims: [], maxCreatedIdentities: 3 };
    expect((await send('PUT', { ...shown, ...change })).status).toBe(200);
    expect(await read()).toMatchObject({ ...rules, ...change });
    const older = Object.fromEntries(Object.entries(shown).filter(([name]) => !(name in DEFAULTS)));
    expect((await send('PUT', older)).status).toBe(200);
    expect(await read()).toMatchObject({ ...rules, ...change });
  });

  test('count null as not sent', async () => {
    const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, null]));
    expect((await send('PATCH', nulls)).status).toBe(200);
    expect((await send('PUT', { ...(await read()), ...nulls })).status).toBe(200);
    expect(await read()).toMatchObject(rules);
  });

  test.each<[Row, string]>([
    [{ conditions: [{ claim: 'ref' }] }, 'conditions[0]'],
    [{ adminClaims: [{ claim: 'groups', values: ['x'] }] }, 'adminClaims[0]'],
    [{ roleAttributeMinutes: 0 }, 'roleAttributeMinutes'],
    [{ roleAttributePrefix: 'no colon' }, 'roleAttributePrefix'],
    [{ createsIdentities: 'yes' }, 'createsIdentities'],
  ])('are refused where they are wrong: %j', async (change, field) => {
    expect(await send('PATCH', change)).toEqual({ status: 400, field });
    expect(await send('PUT', { ...(await read()), ...change })).toEqual({ status: 400, field });
    expect(await read()).toMatchObject(rules);
  });

  test('need a true useExternalId, also when a PUT of an older client does not name them', async () => {
    const { useExternalId, ...shown } = await read();
    const older = Object.fromEntries(Object.entries(shown).filter(([name]) => !(name in DEFAULTS)));
    expect(useExternalId).toBe(true);
    expect(await send('PUT', older)).toEqual({ status: 400, field: 'useExternalId' });
    expect(await read()).toMatchObject(rules);
  });
});

describe('a writer of signers that is no administrator', () => {
  beforeEach(async () => {
    path = await create(RULES());
  });

  test('gives nobody rights', async () => {
    const before = await read();
    for (const adminClaims of [
      [],
      [{ claim: 'sub', values: ['me'], isAdmin: true }],
      [{ claim: 'groups', values: ['admins'], permissions: ['service.read'] }],
    ]) {
      expect((await send('PATCH', { adminClaims }, writer)).status).toBe(401);
      expect((await send('PUT', { ...before, adminClaims }, writer)).status).toBe(401);
      const other = await OutsideSigner.create(unique('company'));
      const body = { ...other.settings, adminClaims };
      const { status } = await writer.send('POST', '/external-jwt-signers', body);
      expect(status).toBe(adminClaims.length === 0 ? 201 : 401);
    }
    expect(await read()).toEqual(before);
    expect(await isTrusted()).toBe(true);
  });

  test('writes a signer back as REST shows it, and leaves the trust', async () => {
    const shown = await read();
    expect((await send('PUT', shown, writer)).status).toBe(200);
    expect((await send('PATCH', shown, writer)).status).toBe(200);
    expect(await isTrusted()).toBe(true);
  });

  test.each<[string, Row]>([
    ['conditions', { conditions: [] }],
    ['role attributes', { roleAttributeClaims: ['teams'] }],
    ['new identities', { maxCreatedIdentities: 5 }],
    ['their approval', { newIdentitiesArePending: false }],
  ])('takes the trust away by another value of %s', async (_, change) => {
    expect((await send('PATCH', change, writer)).status).toBe(200);
    expect(await isTrusted()).toBe(false);
  });
});
