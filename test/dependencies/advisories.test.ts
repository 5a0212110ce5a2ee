import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { makeProject, runScript, type StepResult } from './project.js';

/** Advisories that a registry on loopback knows, and a registry that does not answer. */

const DAY_MS = 24 * 60 * 60 * 1000;
const inDays = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

const ENTRIES = {
  'node_modules/program': { dependencies: { deep: '^1.0.0' } },
  'node_modules/deep': {},
  'node_modules/fine': {},
  'node_modules/tool': { dev: true },
};

const advisory = (id: string, severity: string) => ({
  id: Number(id),
  url: `https://example.com/advisories/GHSA-${id}`,
  title: `flaw ${id}`,
  severity,
  vulnerable_versions: '<2.0.0',
  cwe: [],
  cvss: { score: 0, vectorString: null },
});

const line = (use: string, name: string, id: string, severity: string): string =>
  `${use}: ${severity}, ${name} <2.0.0: flaw ${id} (https://example.com/advisories/GHSA-${id})`;

const accept = (id: string, name: string, more: object = {}): object => ({
  id: `GHSA-${id}`,
  name,
  reason: 'no input of others reaches it',
  expires: inDays(30),
  ...more,
});

const servers: Server[] = [];

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function startRegistry(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const knowing = (advisories: object): Promise<string> =>
  startRegistry((request, response) => {
    const isQuestion = request.method === 'POST' && request.url?.endsWith('/advisories/bulk');
    response.writeHead(isQuestion ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isQuestion ? advisories : {}));
  });

const refusing = (): Promise<string> =>
  startRegistry((_, response) => {
    response.writeHead(405).end();
  });

/** Nobody listens on port 1 of loopback. */
const NOBODY = 'http://127.0.0.1:1/';

const environment = (registry: string): Record<string, string> => ({
  npm_config_registry: registry,
  npm_config_offline: 'true',
});

const check = async (
  registry: string,
  advisories: object[] = [],
  patience = '30000',
): Promise<StepResult> => {
  const folder = await makeProject({ entries: ENTRIES, rules: { advisories } });
  return runScript('dependencies/advisories.mjs', [folder, patience], environment(registry));
};

describe('an advisory', () => {
  test('fails the check from moderate on, and from high on where the controller does not need it', async () => {
    const registry = await knowing({
      program: [advisory('1', 'low'), advisory('2', 'critical')],
      deep: [advisory('3', 'moderate'), advisory('6', 'high')],
      tool: [advisory('4', 'moderate'), advisory('5', 'high')],
    });
    const accepted = [accept('6', 'deep'), accept('2', 'deep')];
    expect(await check(registry, accepted)).toStrictEqual({
      code: 1,
      lines: [
        line('production', 'deep', '3', 'moderate'),
        line('production', 'program', '2', 'critical'),
        line('development', 'tool', '5', 'high'),
        'dependency-rules.json: GHSA-2 of deep is not reported any more, its line can go',
      ],
    });
  });

  test('counts as the registry knows it now', async () => {
    const deep = [advisory('3', 'low')];
    const registry = await knowing({ deep });
    expect(await check(registry)).toStrictEqual({ code: 0, lines: [] });
    deep.splice(0, 1, advisory('3', 'critical'));
    expect((await check(registry)).lines).toStrictEqual([
      line('production', 'deep', '3', 'critical'),
    ]);
  });

  test('is accepted with a reason until a day that is near', async () => {
    const accepted = [
      accept('1', 'deep', { expires: inDays(-1) }),
      accept('2', 'deep', { reason: '' }),
      accept('3', 'deep', { expires: 'never' }),
      accept('4', 'deep', { expires: inDays(200) }),
      accept('5', 'deep', { expires: inDays(0) }),
    ];
    // It is not needed to know any advisory for this.
    expect(await check(NOBODY, accepted)).toStrictEqual({
      code: 1,
      lines: [
        `dependency-rules.json: GHSA-1 of deep was accepted until ${inDays(-1)}`,
        'dependency-rules.json: GHSA-2 of deep is accepted without a reason',
        'dependency-rules.json: GHSA-3 of deep is accepted without a day of expiry',
        'dependency-rules.json: GHSA-4 of deep is accepted for more than 180 days',
      ],
    });
  });
});

describe('a registry', () => {
  const SKIPPED = 75;

  test('that can not be reached does not fail the check', async () => {
    const { code, lines } = await check(NOBODY);
    expect(code).toBe(SKIPPED);
    expect(lines).toStrictEqual([expect.stringContaining('connect ECONNREFUSED')]);
  });

  test('is not waited for without end', async () => {
    const silent = await startRegistry(() => undefined);
    expect(await check(silent, [], '2000')).toStrictEqual({
      code: SKIPPED,
      lines: ['the registry did not answer: not within 2 s'],
    });
  });

  test('without advisories is shown as skipped, and others as failed', async () => {
    const run = (registry: string): Promise<StepResult> =>
      runScript('check.mjs', ['advisories'], environment(registry));
    const skipped = await run(await refusing());
    expect(skipped.code).toBe(0);
    expect(skipped.lines).toStrictEqual([
      expect.stringMatching(/^skipped advisories \(\d+\.\d s\)$/),
      expect.stringMatching(/^the registry did not answer: 405 Method Not Allowed/),
    ]);
    const failed = await run(
      await knowing({ express: [{ ...advisory('6', 'high'), vulnerable_versions: '*' }] }),
    );
    expect(failed.code).toBe(1);
    expect(failed.lines).toStrictEqual([
      expect.stringMatching(/^failed {2}advisories \(\d+\.\d s\)$/),
      expect.stringMatching(/^production: high, express \*: flaw 6/),
    ]);
  });
});

test('a lock file that can not be read fails the check', async () => {
  const folder = await makeProject({ entries: ENTRIES });
  await rm(join(folder, 'package-lock.json'));
  const { code, lines } = await runScript(
    'dependencies/advisories.mjs',
    [folder],
    environment(NOBODY),
  );
  expect(code).toBe(1);
  expect(lines.join('\n')).toMatch('ENOLOCK');
});
