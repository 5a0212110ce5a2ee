import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startController } from '../../support/controller.js';
import { overgraph, type Ended } from './overgraph.js';

/** Access for a time in the terminal: the built command against a built controller. */

const PASSWORD = 'a good password';

let controller: Awaited<ReturnType<typeof startController>>;
let folder: string;

beforeAll(async () => {
  controller = await startController();
  folder = await mkdtemp(join(tmpdir(), 'overgraph-access-'));
  const person = { name: 'adam', type: 'Default', isAdmin: false };
  const identityId = await controller.create('identities', person);
  const login = { identityId, method: 'updb', username: 'adam', password: PASSWORD };
  await controller.create('authenticators', login);
  const offer = { name: 'on call', roleAttribute: 'on-call', maxMinutes: 60 };
  await controller.create('access-offers', { ...offer, requesterRoles: ['#all'] });
});
afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

const access = (...args: readonly string[]): Promise<Ended> =>
  overgraph({ port: controller.port, dataDir: controller.dataDir, folder }, ['access', ...args]);

const ada = (...args: readonly string[]): Promise<Ended> =>
  access(...args, '--username', 'adam', '--password', PASSWORD);

async function asked(): Promise<string> {
  const { out, code } = await ada('request', 'on call', '--minutes', '30', '--reason', 'red board');
  expect(code).toBe(0);
  const [, id = ''] = /^(\S+) is OPEN\.\n$/.exec(out) ?? [];
  return id;
}

describe('access', () => {
  it('lists offers and requests', async () => {
    expect((await ada('offers')).out).toMatch(
      /^offer +minutes +approval +for\non call +60 +REQUIRED\n$/,
    );
    const id = await asked();
    const lines = (await access('requests')).out.split('\n').filter((line) => line.startsWith(id));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/ adam +on call +OPEN, yours to decide +30 +red board$/);
    expect((await ada('cancel', id)).out).toBe(`${id} is CANCELLED.\n`);
  });

  it('approves for less, and revokes', async () => {
    const id = await asked();
    const approved = await access('approve', id, '--minutes', '10', '--comment', 'be quick');
    expect(approved.out).toMatch(new RegExp(`^${id} is GRANTED until \\S+Z\\.\n$`));
    expect((await access('revoke', id)).out).toBe(`${id} is REVOKED.\n`);
  });

  it('lists the services that the caller reaches, with their ends', async () => {
    expect((await ada('mine')).out).toBe('You reach no service.\n');
    for (const [name, role, type] of [
      ['pager', 'on-call', 'Dial'],
      ['post', 'all', 'Bind'],
    ]) {
      const serviceId = await controller.create('services', { name, encryptionRequired: true });
      const ends = { identityRoles: [`#${role ?? ''}`], serviceRoles: [`@${serviceId}`] };
      await controller.create('service-policies', { name, type, semantic: 'AnyOf', ...ends });
    }
    const id = await asked();
    const { out } = await access('approve', id, '--minutes', '10');
    const [, until = ''] = /until (\S+)\.\n$/.exec(out) ?? [];
    expect((await ada('mine')).out).toMatch(
      new RegExp(`^service +dial until +bind until\npager +${until}\npost {20,}no end\n$`),
    );
    const listed = JSON.parse((await ada('mine', '--json')).out) as unknown;
    expect(listed).toMatchObject([
      { serviceName: 'pager', dial: { until }, bind: null },
      { serviceName: 'post', dial: null, bind: { until: null } },
    ]);
    // The administrator reaches what everybody does, and no more.
    expect((await access('mine')).out).toMatch(/^service.*\npost +no end\n$/);
    await access('revoke', id);
  });

  it('denies', async () => {
    const id = await asked();
    expect((await access('deny', id, '--comment', 'call me')).out).toBe(`${id} is DENIED.\n`);
  });

  it.each([
    [[], 'access takes one of'],
    [['offers', 'x'], 'access offers takes no operands'],
    [['approve'], 'access approve takes one operand'],
    [['request', 'on call'], 'access request takes --minutes and --reason'],
    [['approve', 'x', '--minutes', 'ten'], '--minutes must be a whole number'],
  ])('refuses %j', async (args, text) => {
    const { code, err } = await access(...args);
    expect(code).toBe(2);
    expect(err).toContain(text);
  });
});
