import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { InProcess } from '../../support/in-process.js';
import { dialling, domainIs, open, remove, sessionsOf, submit, update } from './dialling.js';

/** A controller that has not read the latest changes of another one ends no session that these allow. */

let first: InProcess;
beforeAll(async () => {
  first = await InProcess.start();
});
afterAll(() => first.stop());

/** Another controller, which learns nothing of the first one after its start. */
async function behind(work: (other: InProcess) => Promise<void>): Promise<void> {
  const other = await InProcess.start(first);
  try {
    await work(other);
  } finally {
    await other.stop();
  }
}

test('it leaves the session for a service that it does not know', async () => {
  const dialler = await dialling(first);
  await open(first, dialler);
  await behind(async (other) => {
    const service = await first.create('Service', { name: 'new', encryptionRequired: true });
    await first.create('ServicePolicy', {
      name: 'new',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${dialler.identity}`],
      serviceRoles: [`@${service}`],
    });
    await first.create('ServiceEdgeRouterPolicy', {
      name: 'new',
      semantic: 'AnyOf',
      serviceRoles: [`@${service}`],
      edgeRouterRoles: ['#all'],
    });
    const { id } = await open(first, { ...dialler, service });
    await remove(other, 'ServicePolicy', dialler.policy);
    expect(await sessionsOf(first, dialler)).toStrictEqual([id]);
  });
});

test('it leaves the session that a check allows as it is by now', async () => {
  const check = await first.create('PostureCheck', {
    name: 'domain',
    typeId: 'DOMAIN',
    domains: ['example.com'],
  });
  const dialler = await dialling(first, { checks: [check] });
  const unchecked = await first.create('ServicePolicy', {
    name: 'unchecked',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${dialler.identity}`],
    serviceRoles: [`@${dialler.service}`],
  });
  await submit(first, dialler, domainIs('elsewhere.com'));
  const { id } = await open(first, dialler);
  await behind(async (other) => {
    await update(first, 'PostureCheck', check, { typeId: 'DOMAIN', domains: ['elsewhere.com'] });
    await remove(other, 'ServicePolicy', unchecked);
    expect(await sessionsOf(first, dialler)).toStrictEqual([id]);
  });
});
