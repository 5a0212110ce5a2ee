import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startController } from '../../support/controller.js';
import { linesOf, overgraph, type Ended, type Site } from './overgraph.js';

/** The worked example of the documents on a network that another controller exported, where it is at hand. */

const references = process.env.OVERGRAPH_CONTRACT_DIR;
const exported = resolve(references ?? '.', '../networks/exported-network.yaml');
const isThere = references !== undefined && existsSync(exported);

(isThere ? describe : describe.skip)('a what-if on an imported network', () => {
  let controller: Awaited<ReturnType<typeof startController>>;
  let site: Site;

  const run = (...args: string[]): Promise<Ended> => overgraph(site, args);

  beforeAll(async () => {
    controller = await startController();
    const folder = await mkdtemp(join(tmpdir(), 'overgraph-real-'));
    site = { port: controller.port, dataDir: controller.dataDir, folder };
    const imported = await run('import', exported);
    if (imported.code !== 0) throw new Error(imported.err);
  });

  afterAll(async () => {
    await controller.stop();
    await rm(site.folder, { recursive: true, force: true });
  });

  it('tells why the one person that a policy names reaches its service', async () => {
    const told = await run('why', 'person-04', 'ssssimple');
    expect(told.code).toBe(1);
    const lines = linesOf(told);
    expect(lines).toContain('│  └─ "ssssimple-dial-policy" (AnyOf)');
    expect(lines).toContain('│     ├─ identity by @person-04');
    const both = lines.indexOf('│  └─ of both');
    expect(lines[both + 1]).toBe('│     └─ "public-router1" (offline)');
  });

  it('tells what it means to name a role in place of that person', async () => {
    const document = {
      servicePolicies: [
        {
          name: 'ssssimple-dial-policy',
          type: 'Dial',
          semantic: 'AnyOf',
          identityRoles: ['#client'],
          serviceRoles: ['@ssssimple'],
        },
      ],
    };
    await writeFile(join(site.folder, 'role.json'), JSON.stringify(document));
    const told = await run('simulate', 'role.json');
    expect({ code: told.code, err: told.err }).toEqual({
      code: 1,
      err: 'overgraph: access widens by 3 pairs\n',
    });
    const after = (title: string, rows: number): string[] => {
      const at = linesOf(told).indexOf(title);
      return linesOf(told).slice(at + 2, at + 2 + rows);
    };
    expect(after('Access gained: 3', 3)).toEqual([
      'person-01  Dial  ssssimple  ssssimple-dial-policy',
      'person-14  Dial  ssssimple  ssssimple-dial-policy',
      'person-16  Dial  ssssimple  ssssimple-dial-policy',
    ]);
    expect(after('Access lost: 1', 1)).toEqual([
      'person-04  Dial  ssssimple  ssssimple-dial-policy',
    ]);
    // The one edge router policy for people names person-04 alone.
    for (const name of ['person-01', 'person-14', 'person-16']) {
      expect(told.out).toMatch(new RegExp(`IDENTITY_WITHOUT_ROUTER +The identity "${name}"`));
    }
  });

  it('finds the service that no policy is about', async () => {
    const kinds = ['--kind', 'service-nobody-dials', '--kind', 'service-nobody-hosts', '--json'];
    const { out } = await run('findings', ...kinds);
    const found = JSON.parse(out) as { kind: string; entities: { name: string }[] }[];
    expect(found.map(({ kind, entities }) => [kind, entities[0]?.name])).toEqual([
      ['SERVICE_NOBODY_DIALS', 'asdfasdf'],
      ['SERVICE_NOBODY_HOSTS', 'asdfasdf'],
    ]);
  });
});
