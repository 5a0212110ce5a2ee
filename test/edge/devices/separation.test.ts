import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Provider } from '../scim/provider.js';
import { startController, type TestController } from '../../support/controller.js';
import { assignedTo, hoursAhead, newIdentity, Reporter } from './reporter.js';

/** A device management system writes its own role attributes alone, and its token opens no other door. */

let controller: TestController;
let one: Reporter;
let other: Reporter;
let id: string;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());
beforeEach(async () => {
  [one, other] = [await Reporter.start(controller), await Reporter.start(controller)];
  id = await newIdentity(controller);
});

const compliant = { attributes: ['compliant'], until: hoursAhead(4) };

test('its token opens no other interface, and no other token opens this one', async () => {
  const provider = await Provider.start(controller);
  expect((await provider.call('GET', '/Users', undefined, one.token)).status).toBe(401);
  for (const token of [provider.token, controller.token, 'ogdir_none', '']) {
    const { status, headers } = await one.call('PUT', `/identities/${id}`, compliant, token);
    expect([status, headers['www-authenticate']]).toStrictEqual([401, 'Bearer']);
  }
  const header = { 'zt-session': one.token };
  for (const path of ['/identities', '/directories', '/edge/client/v1/services']) {
    expect((await controller.rest('GET', path, undefined, header)).status).toBe(401);
  }
  const bySession = await controller.send('GET', `/devices/v1/identities/${id}`, {
    headers: { 'zt-session': controller.token },
  });
  expect(bySession.status).toBe(401);
});

test('a deleted token opens nothing any more', async () => {
  const { body } = await controller.rest('GET', `/directories/${one.directoryId}/tokens`);
  const [token] = body.data as unknown as readonly { id: string }[];
  await controller.rest('DELETE', `/directory-tokens/${token?.id ?? ''}`);
  expect((await one.report(id, compliant)).status).toBe(401);
});

test('one does not see or change what another one reports', async () => {
  await other.report(id, compliant);
  expect((await one.call('GET', `/identities/${id}`)).body.data.attributes).toStrictEqual([]);
  await one.report(id, { ...compliant, attributes: [] });
  await one.call('DELETE', `/identities/${id}`);
  expect((await assignedTo(controller, id)).attributes).toStrictEqual([`${other.prefix}compliant`]);
});

test('it gives no attributes of others, whatever its names', async () => {
  const names = [`${other.prefix}compliant`, '#all', '@someone', 'a:b'];
  const { body } = await one.report(id, { ...compliant, attributes: names });
  expect(body.data.attributes).toStrictEqual([...names].sort());
  expect((await assignedTo(controller, id)).attributes).toStrictEqual(
    names.map((name) => one.prefix + name).sort(),
  );
});

test('nobody else writes its attributes, and nobody else ends them', async () => {
  await one.report(id, compliant);
  const roleAttributes = [`${one.prefix}compliant`];
  expect((await controller.rest('PATCH', `/identities/${id}`, { roleAttributes })).status).toBe(
    400,
  );
  const { body } = await controller.rest('GET', `/identities/${id}/role-assignments`);
  const [assignment] = body.data as unknown as readonly { id: string }[];
  const path = `/role-assignments/${assignment?.id ?? ''}`;
  expect((await controller.rest('DELETE', path)).status).toBeGreaterThanOrEqual(400);
  expect((await assignedTo(controller, id)).attributes).toStrictEqual(roleAttributes);
});

test('its deletion ends what it has reported, and frees its prefix', async () => {
  const second = await newIdentity(controller);
  for (const each of [id, second]) await one.report(each, compliant);
  await other.report(id, compliant);
  const { status } = await controller.rest('DELETE', `/directories/${one.directoryId}`);
  expect(status).toBe(200);
  expect((await assignedTo(controller, id)).attributes).toStrictEqual([`${other.prefix}compliant`]);
  expect((await assignedTo(controller, second)).attributes).toStrictEqual([]);
  const roleAttributes = [`${one.prefix}compliant`];
  expect((await controller.rest('PATCH', `/identities/${id}`, { roleAttributes })).status).toBe(
    200,
  );
});

test('its kind does not change', async () => {
  const path = `/directories/${one.directoryId}`;
  await controller.rest('PATCH', path, { kind: 'identityProvider' });
  const { body } = await controller.rest('GET', path);
  expect(body.data).toMatchObject({ kind: 'deviceManagement' });
});

test('a report that violates an access rule is refused as a whole', async () => {
  const service = await controller.create('services', {
    name: one.prefix,
    encryptionRequired: true,
  });
  const reach = { type: 'Dial', semantic: 'AnyOf', serviceRoles: [`@${service}`] };
  await controller.create('service-policies', {
    ...reach,
    name: one.prefix,
    identityRoles: [`#${one.prefix}compliant`],
  });
  await controller.create('access-rules', {
    ...reach,
    name: one.prefix,
    kind: 'MUST_NEVER_REACH',
    identityRoles: [`@${id}`],
  });
  const { status, body } = await one.report(id, compliant);
  expect([status, body.error.code]).toStrictEqual([409, 'ACCESS_RULE_VIOLATED']);
  expect((await assignedTo(controller, id)).attributes).toStrictEqual([]);
});
