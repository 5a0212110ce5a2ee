import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { InProcess } from '../../support/in-process.js';
import { exported, imported, mustImport, totals } from './transfers.js';

/** Files with identities that wait for an approval, and with times of identities and policies. */

let source: InProcess;
let target: InProcess;
let count = 0;
let name: string;

beforeAll(async () => {
  source = await InProcess.start();
  target = await InProcess.start();
});
afterAll(async () => {
  await target.stop();
  await source.stop();
});
beforeEach(() => {
  count += 1;
  name = `entity ${String(count)}`;
});

type Section = 'identities' | 'servicePolicies';

const entryOf = async (on: InProcess, section: Section): Promise<Row | undefined> =>
  (await exported(on, [section]))[section]?.find((entry) => entry.name === name);

async function read(on: InProcess, members: string): Promise<Row | undefined> {
  const { identities } = await on.read<{ identities: { nodes: Row[] } }>(
    `query ($filter: String!) { identities(filter: $filter) { nodes { id ${members} } } }`,
    { filter: `name = "${name}"` },
  );
  return identities.nodes[0];
}

const newIdentity = (input: Row): Promise<string> =>
  source.create('Identity', { name, type: 'Default', isAdmin: false, ...input });

const transferred = async (section: Section): Promise<unknown> =>
  mustImport(target, { [section]: [await entryOf(source, section)] });

const LATER = '2999-01-01T00:00:00.000Z';

describe('an identity that waits for an approval', () => {
  test('waits where it is imported, too', async () => {
    await newIdentity({ isPending: true });
    expect(await entryOf(source, 'identities')).toMatchObject({ isPending: true });
    await transferred('identities');
    expect(await read(target, 'isPending')).toMatchObject({ isPending: true });
  });

  test.each([true, false])(
    'is neither approved nor made to wait by a file, waiting: %s',
    async (isPending) => {
      await newIdentity({ isPending });
      await target.create('Identity', {
        ...{ name, type: 'Default', isAdmin: false, isPending: !isPending },
      });
      const entry = { ...(await entryOf(source, 'identities')), roleAttributes: ['moved'] };
      await imported(target, { identities: [entry] });
      expect(await read(target, 'isPending')).toMatchObject({ isPending: !isPending });
    },
  );

  test('does not wait where a file does not say so', async () => {
    await mustImport(target, { identities: [{ name, typeId: 'Default', isAdmin: false }] });
    expect(await read(target, 'isPending')).toMatchObject({ isPending: false });
  });

  test('gets no rights by a file', async () => {
    const entry = { name, typeId: 'Default', isAdmin: true, isPending: true };
    const { faultCount, failure, summary } = await imported(target, { identities: [entry] });
    const failed = summary.some((section) => section.failed > 0);
    expect(faultCount > 0 || failure !== null || failed).toBe(true);
    expect(await read(target, 'isPending')).toBeUndefined();
  });
});

describe('times', () => {
  test('of identities come with them, and are left or changed as the file says', async () => {
    await newIdentity({ validFrom: '2001-01-01T00:00:00.000Z', validUntil: LATER });
    const entry = await entryOf(source, 'identities');
    expect(entry).toMatchObject({ validFrom: '2001-01-01T00:00:00.000Z', validUntil: LATER });
    await transferred('identities');
    const times = 'validFrom validUntil isOutsideTimes';
    expect(await read(target, times)).toMatchObject({ validUntil: LATER, isOutsideTimes: false });
    const over = { ...entry, validUntil: '2002-01-01T00:00:00Z' };
    expect(totals(await mustImport(target, { identities: [over] }))).toMatchObject({ updated: 1 });
    expect(totals(await mustImport(target, { identities: [over] }))).toMatchObject({ updated: 0 });
    expect(await read(target, `${times} disabled disabledAt`)).toMatchObject({
      ...{ validUntil: '2002-01-01T00:00:00.000Z', isOutsideTimes: true },
      ...{ disabled: true, disabledAt: null },
    });
  });

  test('of policies with windows come with them, and a second import changes nothing', async () => {
    const times = {
      validUntil: LATER,
      timeZone: 'Europe/Berlin',
      weeklyWindows: [{ days: ['MONDAY', 'FRIDAY'], from: '08:00', to: '17:30' }],
    };
    await source.create('ServicePolicy', {
      ...{ name, type: 'Dial', semantic: 'AnyOf', identityRoles: ['#x'], serviceRoles: ['#x'] },
      ...times,
    });
    expect(await entryOf(source, 'servicePolicies')).toMatchObject(times);
    await transferred('servicePolicies');
    expect(await entryOf(target, 'servicePolicies')).toStrictEqual(
      await entryOf(source, 'servicePolicies'),
    );
    const later = {
      ...(await entryOf(source, 'servicePolicies')),
      validUntil: '2999-01-02T00:00:00Z',
    };
    expect(totals(await mustImport(target, { servicePolicies: [later] }))).toMatchObject({
      updated: 1,
    });
    expect(await entryOf(target, 'servicePolicies')).toMatchObject({
      validUntil: '2999-01-02T00:00:00.000Z',
    });
    await transferred('servicePolicies');
    expect(await transferred('servicePolicies')).toMatchObject({
      summary: expect.arrayContaining([
        expect.objectContaining({ type: 'servicePolicies', created: 0, updated: 0, unchanged: 1 }),
      ]),
    });
  });

  test('that are wrong are faults of the file', async () => {
    const entry = { name, typeId: 'Default', isAdmin: false };
    const times = { validFrom: LATER, validUntil: '2002-01-01T00:00:00Z' };
    const { faultCount, failure } = await imported(target, {
      identities: [{ ...entry, ...times }],
    });
    expect(faultCount > 0 || failure !== null).toBe(true);
    expect(await read(target, 'id')).toBeUndefined();
  });
});
