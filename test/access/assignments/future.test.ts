import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { callerOf, type InProcess } from '../../support/in-process.js';
import { assign, assigned, inHours, moveDue, passHours } from './assigned.js';
import { Boards } from './boards.js';

/** Answers about times to come, when role assignments have begun and ended. */

let boards: Boards;
let controller: InProcess;
let ada: string;

beforeAll(async () => {
  boards = await Boards.start();
  ({ controller } = boards);
});
afterAll(() => controller.stop());
beforeEach(async () => {
  ada = await boards.newIdentity();
});

const onCall = (input: Row = {}): Promise<string> => boards.onCall(ada, input);

/** The services that Ada may dial, by their names. */
async function dialed(at: string | null): Promise<string[]> {
  const { accesses } = await controller.read<{
    accesses: { totalCount: number; nodes: { service: { name: string } }[] };
  }>(
    `query ($identity: ID!, $at: String) {
      accesses(identityId: $identity, at: $at) { totalCount nodes { service { name } } } }`,
    { identity: ada, at },
  );
  expect(accesses.totalCount).toBe(accesses.nodes.length);
  return accesses.nodes.map(({ service }) => service.name).sort();
}

describe('access at a time to come', () => {
  test('counts assignments that begin and end until then', async () => {
    await onCall({ activeFrom: inHours(1), activeUntil: inHours(3) });
    await assigned(controller, {
      identityId: await boards.newIdentity(),
      roleAttribute: 'on-call',
      activeFrom: inHours(1),
    });
    expect(await dialed(null)).toStrictEqual(['desk board']);
    expect(await dialed(inHours(0.5))).toStrictEqual(['desk board']);
    expect(await dialed(inHours(2))).toStrictEqual(['desk board', 'on-call board']);
    expect(await dialed(inHours(4))).toStrictEqual(['desk board']);
  });

  test('goes on when another assignment of the attribute follows, or the attribute is also written', async () => {
    await onCall({ activeUntil: inHours(2) });
    await assigned(controller, { identityId: ada, roleAttribute: 'desk', activeUntil: inHours(1) });
    expect(await dialed(inHours(1.5))).toStrictEqual(['desk board', 'on-call board']);
    expect(await dialed(inHours(3))).toStrictEqual(['desk board']);
  });

  test('leaves out an assignment that ended early, and one that is deleted', async () => {
    const ended = await onCall({ activeUntil: inHours(2) });
    await passHours(controller, 3, ended);
    await moveDue(controller);
    expect(await dialed(inHours(1))).toStrictEqual(['desk board']);
    const deleted = await onCall({ activeFrom: inHours(1) });
    expect(await dialed(inHours(2))).toStrictEqual(['desk board', 'on-call board']);
    await controller.graph('mutation ($id: ID!) { deleteRoleAssignment(id: $id) }', {
      id: deleted,
    });
    expect(await dialed(inHours(2))).toStrictEqual(['desk board']);
  });

  test('has its reason', async () => {
    const activeUntil = inHours(3);
    const roleAttribute = 'on-call';
    await assign(
      controller,
      { identityId: ada, roleAttribute, activeFrom: inHours(1), activeUntil, reason: 'ticket 17' },
      controller.ctx(callerOf(ada, 'identity')),
    );
    const why = (at: string): Promise<unknown> =>
      controller.read(
        `query ($identity: ID!, $service: ID!, $at: String) {
          access(identityId: $identity, serviceId: $service, type: Dial, at: $at) {
            allowed obstacles assignments { activeUntil reason requestedBy { id } approvedBy { name } } } }`,
        { identity: ada, service: boards.boards.get('on-call') ?? '', at },
      );
    const assignment = {
      activeUntil,
      reason: 'ticket 17',
      requestedBy: { id: ada },
      approvedBy: null,
    };
    expect(await why(inHours(2))).toMatchObject({
      access: { allowed: true, assignments: [assignment] },
    });
    expect(await why(inHours(4))).toMatchObject({ access: { allowed: false, assignments: [] } });
  });
});

test('the difference between now and a time to come is what ends and begins until then', async () => {
  await onCall({ activeFrom: inHours(-1), activeUntil: inHours(2) });
  const bob = ada;
  ada = await boards.newIdentity();
  await onCall({ activeFrom: inHours(1) });
  const { accessDiff } = await controller.read<{ accessDiff: Record<string, { nodes: Row[] }> }>(
    `query ($from: String!, $to: String) { accessDiff(from: $from, to: $to) {
      gained { nodes { identityId serviceName } } lost { nodes { identityId serviceName } } } }`,
    { from: inHours(0.1), to: inHours(3) },
  );
  const serviceName = 'on-call board';
  expect(accessDiff.gained?.nodes).toContainEqual({ identityId: ada, serviceName });
  expect(accessDiff.lost?.nodes).toContainEqual({ identityId: bob, serviceName });
});

describe('the finding about access that ends soon', () => {
  const findings = async (at?: string, about = ada): Promise<Row[]> => {
    const answer = await controller.read<{ findings: { nodes: Row[] } }>(
      `query ($at: String) { findings(kinds: [ACCESS_ENDS_SOON], first: 200, at: $at) {
        nodes { id severity text entities { entityId } } } }`,
      { at: at ?? null },
    );
    return answer.findings.nodes.filter(({ text }) => String(text).includes(about));
  };

  test('comes a week before, names the identity and the services, and goes when it is renewed', async () => {
    const activeUntil = inHours(7 * 24 + 1);
    const id = await onCall({ activeUntil });
    expect(await findings()).toStrictEqual([]);
    const sooner = inHours(7 * 24 - 1);
    await boards.update(id, { activeUntil: sooner });
    const [finding] = await findings();
    expect(finding).toMatchObject({
      severity: 'LOW',
      entities: [{ entityId: ada }, { entityId: boards.boards.get('on-call') }],
      text: expect.stringContaining(sooner),
    });
    await boards.update(id, { activeUntil });
    expect(await findings()).toStrictEqual([]);
  });

  test('comes a week before the time of the identity is over, and goes with it', async () => {
    const until = async (validUntil: string | null): Promise<Row[]> => {
      await controller.read(
        'mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }',
        { id: ada, input: { validUntil } },
      );
      return findings();
    };
    expect(await until(inHours(7 * 24 + 1))).toStrictEqual([]);
    const soon = inHours(7 * 24 - 1);
    expect(await until(soon)).toMatchObject([{ text: expect.stringContaining(soon) }]);
    expect(await until(inHours(-1))).toStrictEqual([]);
    expect(await until(null)).toStrictEqual([]);
  });

  test('comes a week before the time of a policy is over, and not before its window closes', async () => {
    const policy = await controller.create('ServicePolicy', {
      ...{ name: `for ${ada}`, type: 'Bind', semantic: 'AnyOf', identityRoles: [`@${ada}`] },
      serviceRoles: [`@${boards.boards.get('desk') ?? ''}`],
    });
    const isFound = async (input: Row, at?: string): Promise<boolean> => {
      await controller.read(
        `mutation ($id: ID!, $input: UpdateServicePolicyInput!) {
          updateServicePolicy(id: $id, input: $input) { id } }`,
        { id: policy, input },
      );
      return (await findings(at, policy)).length > 0;
    };
    expect(await isFound({})).toBe(false);
    expect(await isFound({ validUntil: inHours(8 * 24) })).toBe(false);
    expect(await isFound({ validUntil: inHours(6 * 24) })).toBe(true);
    expect(await isFound({}, inHours(24))).toBe(false);
    const days = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
    const weeklyWindows = [
      { days, from: '00:00', to: '12:00' },
      { days, from: '12:01', to: '00:00' },
    ];
    expect(await isFound({ validUntil: null, weeklyWindows, timeZone: 'UTC' })).toBe(false);
  });

  test('is about now alone: at a time to come, other assignments may have begun', async () => {
    ada = await boards.newIdentity({ roleAttributes: [] });
    await onCall({ activeUntil: inHours(24) });
    const later = { roleAttribute: 'desk', activeFrom: inHours(20 * 24) };
    await assigned(controller, { identityId: ada, ...later });
    expect(await findings()).toHaveLength(1);
    expect(await findings(inHours(30 * 24))).toStrictEqual([]);
  });
});
