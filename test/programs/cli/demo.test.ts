import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FINDING_KIND } from '../../../src/access/analysis/index.js';
import { Client } from '../../../src/programs/cli/client.js';
import { creation, idOf } from '../../../src/programs/demo/demo-change.js';
import { inventCompany } from '../../../src/programs/demo/company.js';
import { makeSetting } from '../../../src/programs/demo/make-settings.js';
import { makeStep } from '../../../src/programs/demo/make-step.js';
import { MACHINES } from '../../../src/programs/demo/settings.js';
import { Refusal } from '../../../src/programs/cli/refusal.js';
import { ADMIN_PASSWORD, startController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { settledChangeOf } from '../../support/settled-change.js';
import { overgraph as run, type Ended } from './overgraph.js';

/** The example company: `npm run demo`. */

let controller: Awaited<ReturnType<typeof startController>>;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

const demo = (...args: readonly string[]): Promise<Ended> =>
  run({ port: controller.port, dataDir: controller.dataDir, folder: '.' }, ['demo', ...args]);

const login = (): Promise<Client> =>
  Client.login({
    url: new URL(`https://localhost:${String(controller.port)}`),
    login: { username: 'admin', password: ADMIN_PASSWORD },
    tls: { rejectUnauthorized: false },
  });

async function read<T>(query: string, variables: Record<string, unknown> = {}): Promise<T> {
  const { data, errors } = await controller.graphql(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

interface List<T = unknown> {
  readonly totalCount: number;
  readonly nodes: readonly T[];
}

/** Runs the command until it begins a chapter, and ends it there. */
async function stopAt(chapter: string): Promise<void> {
  const url = `https://localhost:${String(controller.port)}`;
  const args = [
    'dist/program/overgraph.js',
    'demo',
    '--url',
    url,
    '--password',
    ADMIN_PASSWORD,
    '-k',
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes(chapter)) child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, output }).toEqual({ code: null, output: expect.stringContaining(chapter) });
}

describe('the demo command', () => {
  test('says how to start a controller when there is none', async () => {
    // Nothing listens at the port of an outdated protocol.
    const told = await demo('--url', 'https://localhost:9');
    expect({ ...told, code: told.code }).toEqual({
      code: 3,
      out: '',
      err: expect.stringMatching(/can not be reached: .*"npm start" in another terminal/),
    });
  });

  test('writes nothing into a network that has something', async () => {
    const id = await controller.create('services', { name: 'wiki', encryptionRequired: true });
    expect(await demo()).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/is not empty, it has 1 service; nothing was written, --force/),
    });
    const { authPolicies } = await read<{ authPolicies: List }>(
      '{ authPolicies { totalCount nodes { name } } }',
    );
    expect(authPolicies.nodes).toEqual([{ name: 'Default' }]);
    await controller.rest('DELETE', `/services/${id}`);
  });

  test('invents the same company each time', () => {
    const ids = { policies: { people: 'a', machines: 'b' }, authorityId: 'c' };
    expect(inventCompany(ids)).toEqual(inventCompany(ids));
  });

  test('loads the company, also behind a run that was interrupted', async () => {
    await stopAt('3/10');
    const { code, out, err } = await demo();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('behind what an earlier run has made');
    expect(out).toMatch(/2000 identities, 150 services, .*12 edge routers/);
  });

  test('goes on behind a step that an interrupted run stored after the log was read', async () => {
    const step = {
      reason: 'a step under way',
      author: undefined,
      changes: [creation('service', 'step under way', { encryptionRequired: true })],
    };
    const admin = await login();
    try {
      await makeStep({ author: admin, admin }, step);
      await makeStep({ author: admin, admin }, step);
      await settledChangeOf(controller);
      const { changes } = await read<{ changes: List }>(
        '{ changes(where: { reason: { eq: "a step under way" } }, first: 5) { totalCount nodes { id } } }',
      );
      expect(changes.totalCount).toBe(1);
      const other = { ...step, reason: 'another step' };
      await expect(makeStep({ author: admin, admin }, other, 0)).rejects.toThrow(Refusal);
    } finally {
      await read('mutation ($id: ID!) { deleteService(id: $id) }', {
        id: idOf('service', 'step under way'),
      });
      await admin.logout();
    }
  });

  test('makes a setting once, whoever else makes it at the same moment', async () => {
    const setting = { ...MACHINES, input: { ...MACHINES.input, name: 'Made twice' } };
    const admin = await login();
    try {
      const ids = await Promise.all([1, 2, 3, 4].map(() => makeSetting(admin, setting)));
      expect(new Set(ids).size).toBe(1);
      await read('mutation ($id: ID!) { deleteAuthPolicy(id: $id) }', { id: ids[0] });
    } finally {
      await admin.logout();
    }
  });

  test('changes nothing when it runs again', async () => {
    const changes = '{ changes(where: { type: { ne: "ApiSession" } }) { totalCount } }';
    await settledChangeOf(controller);
    const before = await read(changes);
    const { code, out } = await demo();
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('is there already') });
    await settledChangeOf(controller);
    expect(await read(changes)).toEqual(before);
  });
});

describe('the example company', () => {
  test('has people, devices, servers, services and routers', async () => {
    const counts = await read<Record<string, List>>(`{
      people: identities(where: { externalId: { isNull: false } }) { totalCount }
      devices: identities(filter: "anyOf(roleAttributes) = \\"device\\"") { totalCount }
      all: identities(where: { isDefaultAdmin: { eq: false } }) { totalCount }
      services { totalCount }
      configs { totalCount }
      edgeRouters { totalCount }
      postureChecks { totalCount }
      accessRules { totalCount }
      accessReviews { totalCount }
      accessOffers { totalCount }
      accessRequests { totalCount }
    }`);
    const numbers = Object.entries(counts).map(([name, { totalCount }]) => [name, totalCount]);
    expect(Object.fromEntries(numbers)).toEqual({
      people: 1399,
      devices: 489,
      all: 2000,
      services: 150,
      configs: 300,
      edgeRouters: 12,
      postureChecks: 4,
      accessRules: 4,
      accessReviews: 1,
      accessOffers: 2,
      accessRequests: 2,
    });
  });

  test('has findings of every kind', async () => {
    const { findings } = await read<{ findings: List<{ kind: string }> }>(
      '{ findings(first: 500) { totalCount nodes { kind } } }',
    );
    const kinds = new Set(findings.nodes.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([...FINDING_KIND.values].sort());
    // A short list: mistakes stand out.
    expect(findings.totalCount).toBeLessThan(50);
  });

  test('has one administrator too many', async () => {
    const { identities } = await read<{ identities: List }>(
      '{ identities(where: { isAdmin: { eq: true }, isDefaultAdmin: { eq: false } }) { nodes { tags } } }',
    );
    expect(identities.nodes).toEqual([{ tags: expect.objectContaining({ department: 'sales' }) }]);
  });

  test('has a history: changes with reasons, by several people', async () => {
    const { changes } = await read<{
      changes: List<{ operation: string; reason: string; actor: { name: string } | null }>;
    }>(`{ changes(where: { reason: { contains: "QM-" }, operation: { eq: update } }, first: 500) {
      totalCount nodes { operation reason actor { name } }
    } }`);
    expect(changes.totalCount).toBeGreaterThan(150);
    const authors = new Set(changes.nodes.map(({ actor }) => actor?.name));
    expect(authors.size).toBeGreaterThanOrEqual(4);
  });

  test('has access that was used, access that was refused, and logins that failed', async () => {
    const used =
      '{ accesses(type: Dial, serviceFilter: "name = \\"mail\\"", first: 500) { nodes { lastUsedAt } } }';
    await eventually(async () => {
      const { accesses } = await read<{ accesses: List<{ lastUsedAt: string | null }> }>(used);
      expect(accesses.nodes.some(({ lastUsedAt }) => lastUsedAt !== null)).toBe(true);
    });
    await eventually(async () => {
      const { overview } = await read<{ overview: { failedLogins: { nodes: unknown[] } } }>(
        '{ overview { failedLogins { nodes { refusal } } } }',
      );
      expect(overview.failedLogins.nodes.length).toBeGreaterThan(1);
    });
  });
});
