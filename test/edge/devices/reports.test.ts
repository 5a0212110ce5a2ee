import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { assignedTo, hoursAhead, newIdentity, Reporter, unique } from './reporter.js';

/** "This device is compliant until …": the report of a device management system is an assignment with an end. */

let controller: TestController;
let reporter: Reporter;
let id: string;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());
beforeEach(async () => {
  reporter = await Reporter.start(controller);
  id = await newIdentity(controller);
});

describe('a report', () => {
  test('gives role attributes with the prefix of its directory, until its end', async () => {
    const until = hoursAhead(8);
    const answer = await reporter.report(id, {
      attributes: ['encrypted', 'compliant'],
      until,
      reason: 'checked at the start',
    });
    expect([answer.status, answer.body.data]).toStrictEqual([
      200,
      {
        identityId: id,
        externalId: null,
        attributes: ['compliant', 'encrypted'],
        until,
        reason: 'checked at the start',
      },
    ]);
    const { attributes, assignments } = await assignedTo(controller, id);
    expect(attributes).toStrictEqual([
      `${reporter.prefix}compliant`,
      `${reporter.prefix}encrypted`,
    ]);
    for (const assignment of assignments) {
      expect(assignment).toMatchObject({
        source: `directory:${reporter.directoryId}`,
        state: 'ACTIVE',
        activeUntil: until,
        reason: 'checked at the start',
      });
    }
  });

  test('may name the identity by its external id, whatever its characters', async () => {
    const externalId = unique('S/N 1 ä');
    const owner = await newIdentity(controller, { externalId });
    const path = `/external-ids/${encodeURIComponent(externalId)}`;
    const sent = { attributes: ['compliant'], until: hoursAhead(1) };
    const { body } = await reporter.call('PUT', path, sent);
    expect(body.data).toMatchObject({ identityId: owner, externalId, attributes: ['compliant'] });
    expect((await reporter.call('GET', path)).body).toStrictEqual(body);
  });

  test('replaces the one before', async () => {
    await reporter.report(id, { attributes: ['compliant', 'encrypted'], until: hoursAhead(1) });
    const until = hoursAhead(9);
    await reporter.report(id, { attributes: ['encrypted', 'patched'], until });
    const { attributes, assignments } = await assignedTo(controller, id);
    expect(attributes).toStrictEqual([`${reporter.prefix}encrypted`, `${reporter.prefix}patched`]);
    expect(assignments.map(({ activeUntil }) => activeUntil)).toStrictEqual([until, until]);
  });

  test('without attributes, or its withdrawal, takes them away', async () => {
    const given = { attributes: ['compliant'], until: hoursAhead(1) };
    await reporter.report(id, given);
    await reporter.report(id, { ...given, attributes: [] });
    expect((await assignedTo(controller, id)).attributes).toStrictEqual([]);
    await reporter.report(id, given);
    const { status, body } = await reporter.call('DELETE', `/identities/${id}`);
    expect([status, body.data.attributes, body.data.until]).toStrictEqual([200, [], null]);
    expect((await assignedTo(controller, id)).attributes).toStrictEqual([]);
  });

  test('that says nothing new writes nothing', async () => {
    const sent = { attributes: ['compliant'], until: hoursAhead(1), reason: 'as before' };
    const changeCount = async (): Promise<unknown> => {
      const { data } = await controller.graphql(
        'query ($id: ID!) { identity(id: $id) { roleAssignments { nodes { revision updatedAt } } } }',
        { id },
      );
      return data;
    };
    await reporter.report(id, sent);
    const before = await changeCount();
    expect((await reporter.report(id, sent)).status).toBe(200);
    expect(await changeCount()).toStrictEqual(before);
  });

  test('ends by itself', async () => {
    const until = new Date(Date.now() + 3_000).toISOString();
    expect((await reporter.report(id, { attributes: ['compliant'], until })).status).toBe(200);
    await eventually(async () => {
      expect((await assignedTo(controller, id)).attributes).toStrictEqual([]);
    });
    const { body } = await reporter.call('GET', `/identities/${id}`);
    expect(body.data).toMatchObject({ attributes: [], until: null, reason: null });
  });

  test('opens a service to the identity that a policy gives to compliant devices', async () => {
    const service = await controller.create('services', {
      name: unique('service'),
      encryptionRequired: true,
    });
    await controller.create('service-policies', {
      name: unique('policy'),
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`#${reporter.prefix}compliant`],
      serviceRoles: [`@${service}`],
    });
    const services = async (): Promise<number> => {
      const { body } = await controller.rest('GET', `/identities/${id}/service-policies`);
      return (body.data as unknown as readonly unknown[]).length;
    };
    expect(await services()).toBe(0);
    await reporter.report(id, { attributes: ['compliant'], until: hoursAhead(1) });
    expect(await services()).toBe(1);
  });
});

describe('what is refused', () => {
  const fault = { code: 'COULD_NOT_VALIDATE' };
  test.each([
    ['without an end', { attributes: ['compliant'] }, 'until'],
    ['with an end in the past', { attributes: [], until: '2020-01-01T00:00:00Z' }, 'until'],
    ['with an end that is no time', { attributes: [], until: 'tomorrow' }, 'until'],
    ['with an end that is a day', { attributes: [], until: '2099-01-01' }, 'until'],
    ['with an end in two years', { attributes: [], until: hoursAhead(2 * 366 * 24) }, 'until'],
    ['without attributes', { until: hoursAhead(1) }, 'attributes'],
    ['with a blank attribute', { attributes: [' '], until: hoursAhead(1) }, 'attributes[0]'],
    ['with a number', { attributes: ['a', 7], until: hoursAhead(1) }, 'attributes[1]'],
    [
      'with a long reason',
      { attributes: [], until: hoursAhead(1), reason: 'x'.repeat(1_001) },
      'reason',
    ],
    [
      'with too many attributes',
      { attributes: Array.from({ length: 51 }, (_, i) => `a${String(i)}`), until: hoursAhead(1) },
      'attributes',
    ],
  ])('a report %s', async (_, sent, field) => {
    await reporter.report(id, { attributes: ['compliant'], until: hoursAhead(1) });
    const { status, body } = await reporter.report(id, sent);
    expect([status, body.error]).toMatchObject([400, { ...fault, cause: { field } }]);
    expect((await assignedTo(controller, id)).attributes).toStrictEqual([
      `${reporter.prefix}compliant`,
    ]);
  });

  test.each([
    ['text', '"compliant"'],
    ['no JSON', '{"attributes":'],
    ['nothing', ''],
    ['a text that can not be stored', '{"attributes":["\\u0000"],"until":"2099-01-01T00:00:00Z"}'],
  ])('a body with %s', async (_, text) => {
    const { status } = await controller.send('PUT', `/devices/v1/identities/${id}`, {
      body: text,
      headers: { authorization: `Bearer ${reporter.token}` },
    });
    expect(status).toBe(400);
  });

  test('unknown identities, paths and methods', async () => {
    const sent = { attributes: ['compliant'], until: hoursAhead(1) };
    const statusOf = async (method: string, path: string): Promise<number> =>
      (await reporter.call(method, path, method === 'GET' ? undefined : sent)).status;
    expect(await statusOf('PUT', '/identities/nobody')).toBe(404);
    expect(await statusOf('PUT', '/external-ids/nobody')).toBe(404);
    expect(await statusOf('GET', '/identities/nobody')).toBe(404);
    expect(await statusOf('DELETE', '/identities/%FF')).toBe(400);
    expect(await statusOf('GET', '/identities')).toBe(404);
    expect(await statusOf('GET', `/identities/${id}/more`)).toBe(404);
    expect(await statusOf('POST', `/identities/${id}`)).toBe(405);
  });
});
