import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import type { Row } from '../../../src/base/row.js';
import { overgraphInto } from '../../support/command.js';
import { ADMIN_PASSWORD, startController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { NamedEntities, REST_KINDS } from '../../support/named-entities.js';
import { makeGate, makeOfficeCheck } from './gate-and-office.js';
import { linesOf, overgraph as run, type Ended } from './overgraph.js';

/** Questions about access in the terminal: the built command against a built controller. */

let controller: Awaited<ReturnType<typeof startController>>;
let folder: string;
const entities = new NamedEntities(() => controller, REST_KINDS);
const { idOf, make, person, policy } = entities;

beforeAll(async () => {
  controller = await startController();
  folder = await mkdtemp(join(tmpdir(), 'overgraph-ask-'));
  await person('ada', 'staff');
  await person('bob', 'staff', 'ops');
  await person('eve \u001b[31m', 'guest');
  await make('services', 'wiki', { encryptionRequired: true, roleAttributes: ['docs'] });
  await make('services', 'vault', { encryptionRequired: true, roleAttributes: ['secret'] });
  await makeOfficeCheck(entities);
  await policy('staff reads', ['#staff'], ['#docs'], { postureCheckRoles: ['#at-work'] });
  await policy('ops dial', ['#ops'], [`@${idOf('vault')}`]);
  await policy('twin', ['#ops'], [`@${idOf('vault')}`]);
  await policy('vault host', [`@${idOf('bob')}`], ['#secret'], { type: 'Bind' });
  await makeGate(entities);
});

afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

const overgraph = (args: readonly string[], port = controller.port): Promise<Ended> =>
  run({ port, dataDir: controller.dataDir, folder }, args);

async function file(name: string, content: object): Promise<string> {
  await writeFile(join(folder, name), stringify(content));
  return name;
}

describe('why', () => {
  it('shows a tree of policies, roles, posture, routers and what is in the way', async () => {
    const told = await overgraph(['why', 'ada', 'wiki']);
    expect(told).toMatchObject({
      code: 1,
      err: 'overgraph: "ada" can not dial "wiki" now: NONE_ONLINE, NO_TERMINATORS\n',
    });
    expect(linesOf(told)).toEqual([
      '"ada" may dial "wiki", but can not now',
      '├─ policies that grant it',
      '│  └─ "staff reads" (AnyOf)',
      '│     ├─ identity by #staff',
      '│     ├─ service by #docs',
      '│     └─ posture check "office" (DOMAIN)',
      '│        └─ not judged: there is no live API session',
      '├─ edge routers',
      '│  ├─ of the identity',
      '│  │  └─ "gate" (offline), by "gates"',
      '│  ├─ of the service',
      '│  │  └─ "gate" (offline), by "carry"',
      '│  └─ of both',
      '│     └─ "gate" (offline)',
      '├─ in the way',
      '│  ├─ NONE_ONLINE: no common edge router is online',
      '│  └─ NO_TERMINATORS: the service has no terminator',
      '└─ nearest misses',
      expect.stringMatching(/^ {3}├─ "(ops dial|twin)" \(AnyOf\), 2 additions$/),
      '   │  ├─ give the identity #ops, or add @ada to the identity roles',
      '   │  └─ add @wiki to the service roles',
      expect.stringMatching(/^ {3}└─ "(ops dial|twin)" \(AnyOf\), 2 additions$/),
      '      ├─ give the identity #ops, or add @ada to the identity roles',
      '      └─ add @wiki to the service roles',
    ]);
  });

  it('takes ids as well, asks about hosting, and shows no control characters', async () => {
    const byId = await overgraph(['why', idOf('bob'), idOf('vault'), '--bind']);
    expect(linesOf(byId).slice(0, 5)).toEqual([
      '"bob" may bind "vault", but can not now',
      '├─ policies that grant it',
      '│  └─ "vault host" (AnyOf)',
      '│     ├─ identity by @bob',
      '│     └─ service by #secret',
    ]);
    const denied = await overgraph(['why', 'eve \u001b[31m', 'wiki']);
    expect(linesOf(denied).slice(0, 2)).toEqual([
      '"eve \\u{1b}[31m" may not dial "wiki"',
      '├─ policies that grant it: none',
    ]);
    expect(denied.code).toBe(1);
  });

  it('gives the whole answer as JSON', async () => {
    const { code, out } = await overgraph(['why', 'bob', 'vault', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      identity: { id: idOf('bob'), name: 'bob' },
      service: { id: idOf('vault'), name: 'vault' },
      type: 'Dial',
      allowed: true,
      obstacles: ['NONE_ONLINE', 'NO_TERMINATORS'],
      paths: expect.arrayContaining([
        expect.objectContaining({ policy: { id: idOf('twin'), name: 'twin' } }),
      ]),
    });
  });

  it.each([
    [['why', 'nobody', 'wiki'], 'there is no identity "nobody"'],
    [['why', 'ada', 'nothing'], 'there is no service "nothing"'],
  ])('ends with 2 when used as %j', async (args, message) => {
    const { code, err, out } = await overgraph(args);
    expect({ code, err, out }).toEqual({ code: 2, err: expect.stringContaining(message), out: '' });
  });

  it('ends with 3 when nothing listens', async () => {
    const { code } = await overgraph(['why', 'ada', 'wiki'], 1);
    expect(code).toBe(3);
  });
});

const dialPolicy = (name: string, identityRoles: string[], serviceRoles: string[]) => ({
  name,
  type: 'Dial',
  semantic: 'AnyOf',
  identityRoles,
  serviceRoles,
});

describe('simulate', () => {
  it('tells who would gain what by which policy, and ends with 1', async () => {
    const name = await file('wider.yaml', {
      services: [{ name: 'crm', encryptionRequired: true, roleAttributes: ['docs'] }],
      servicePolicies: [dialPolicy('guests read', ['#guest'], ['#docs'])],
    });
    const told = await overgraph(['simulate', name]);
    expect({ code: told.code, err: told.err }).toEqual({
      code: 1,
      err: 'overgraph: access widens by 4 pairs\n',
    });
    const lines = linesOf(told);
    expect(lines.slice(0, 8)).toEqual([
      '                             gained  lost',
      'access                            4     0',
      'routers of identities             0     0',
      'routers of services               1     0',
      'access with a common router       2     0',
      expect.stringMatching(/^findings +\d+ +\d+$/),
      'sessions                                0',
      'access rules that hold                  0',
    ]);
    const at = lines.indexOf('Access gained: 4');
    expect(lines[at + 1]).toBe('identity        type  service  policies');
    expect(lines.slice(at + 2, at + 6)).toEqual([
      'ada             Dial  crm      staff reads',
      'bob             Dial  crm      staff reads',
      'eve \\u{1b}[31m  Dial  crm      guests read',
      'eve \\u{1b}[31m  Dial  wiki     guests read',
    ]);
    expect(lines).toContain('Routers that services gain: 1');
    expect(lines).toContainEqual(expect.stringMatching(/^MEDIUM +SERVICE_NOBODY_HOSTS .*"crm"/));
    expect(lines.at(-1)).toBe('Nothing was written.');
    const { body } = await controller.rest('GET', '/services?filter=name="crm"');
    expect(body.data).toEqual([]);
    expect(await overgraph(['simulate', name, '--allow-wider'])).toMatchObject({ code: 0 });
  });

  it('ends with 0 when nobody gains anything', async () => {
    const name = await file('narrower.yaml', {
      changes: [{ operation: 'delete', type: 'servicePolicy', id: idOf('staff reads') }],
    });
    const told = await overgraph(['simulate', name]);
    expect({ code: told.code, err: told.err }).toEqual({ code: 0, err: '' });
    const lines = linesOf(told);
    const at = lines.indexOf('Access lost: 2');
    expect(lines.slice(at + 1, at + 4)).toEqual([
      'identity  type  service  policies',
      'ada       Dial  wiki     staff reads',
      'bob       Dial  wiki     staff reads',
    ]);
  });

  it('names the rules that would be violated, which --allow-wider does not excuse', async () => {
    await controller.create('access-rules', {
      name: 'no guests in the vault',
      kind: 'MUST_NEVER_REACH',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#guest'],
      serviceRoles: ['#secret'],
    });
    const name = await file('forbidden.yaml', {
      servicePolicies: [dialPolicy('guests dial', ['#guest'], ['#secret'])],
    });
    const told = await overgraph(['simulate', name, '--allow-wider']);
    expect({ code: told.code, err: told.err }).toEqual({
      code: 1,
      err: 'overgraph: 1 access rule violated\n',
    });
    expect(linesOf(told)).toContain('no guests in the vault  eve \\u{1b}[31m  Dial  vault');
    const refused = await overgraph(['import', name]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('access rule "no guests in the vault"');
    const overridden = await overgraph([
      'import',
      '--override-reason',
      'the audit: 監査, аудит',
      name,
    ]);
    expect(overridden).toMatchObject({ code: 0, err: '' });
    // A change is listed once no older transaction of the server is under way.
    await eventually(async () => {
      const { body } = await controller.rest(
        'GET',
        '/changes?filter=type="ServicePolicy"%20sort%20by%20id%20desc%20limit%201',
      );
      expect(JSON.stringify(body.data)).toContain('the audit: 監査, аудит');
    });
  });

  it('shows the first 25 of each list, or all with --all, and more than a page of them', async () => {
    const services = Array.from({ length: 301 }, (_, i) => ({
      name: `many-${String(i).padStart(3, '0')}`,
      encryptionRequired: true,
      roleAttributes: ['docs'],
    }));
    const name = await file('many.yaml', { services });
    const few = linesOf(await overgraph(['simulate', name]));
    expect(few).toContain('Access gained: 602');
    expect(few).toContain('… and 577 more');
    const all = linesOf(await overgraph(['simulate', name, '--all']));
    const at = all.indexOf('Access gained: 602');
    const pairs = all.slice(at + 2, at + 604);
    expect(new Set(pairs).size).toBe(602);
    expect(pairs.every((line) => /^(ada|bob) +Dial +many-\d{3} +staff reads$/.test(line))).toBe(
      true,
    );
    const { out } = await overgraph(['simulate', name, '--all', '--json']);
    const simulation = JSON.parse(out) as Record<'gained', { totalCount: number; nodes: Row[] }>;
    expect(simulation.gained.totalCount).toBe(602);
    expect(simulation.gained.nodes).toHaveLength(602);
  });

  it('takes documents as large as an import', async () => {
    const tags = { filling: 'x'.repeat(100) };
    const services = Array.from({ length: 8_000 }, (_, i) => ({
      name: `large-${String(i)}`,
      encryptionRequired: true,
      tags,
    }));
    await writeFile(join(folder, 'large.json'), JSON.stringify({ services }));
    const told = await overgraph(['simulate', 'large.json']);
    expect({ code: told.code, err: told.err }).toEqual({ code: 0, err: '' });
  });

  it.each([
    [{ services: [{ name: 'b' }] }, 'encryptionRequired in body is required\novergraph: 1 fault;'],
    [
      { changes: [{ operation: 'delete', type: 'service', id: 'none' }] },
      'overgraph: bad.yaml: changes[0]',
    ],
    [{ changes: ['nonsense'] }, 'overgraph: bad.yaml: '],
  ])('ends with 2 when a document is %j', async (document, message) => {
    const { code, err, out } = await overgraph(['simulate', await file('bad.yaml', document)]);
    expect({ code, err, out }).toEqual({ code: 2, err: expect.stringContaining(message), out: '' });
  });

  it('ends with 2 at the place where a file is no YAML, and where --allow-wider is given', async () => {
    await writeFile(join(folder, 'torn.yaml'), 'services:\n  - name: a\n name: b\n');
    for (const options of [[], ['--allow-wider'], ['--json']]) {
      const { code, err, out } = await overgraph(['simulate', 'torn.yaml', ...options]);
      expect({ code, err, out }).toEqual({
        code: 2,
        err: expect.stringContaining('torn.yaml:3:1: '),
        out: '',
      });
    }
  });
});

describe('findings', () => {
  it('shows a table by severity, and names what findings are about', async () => {
    const told = await overgraph(['findings']);
    expect(told).toMatchObject({ code: 0, err: '' });
    const lines = linesOf(told);
    expect(lines[0]).toMatch(/^severity +kind +id +text$/);
    const severities = lines.slice(1, -2).map((line) => line.split(' ')[0] ?? '');
    const order = ['HIGH', 'MEDIUM', 'LOW'];
    const places = severities.map((severity) => order.indexOf(severity));
    expect(places).toEqual([...places].sort());
    expect(new Set(severities).size).toBeGreaterThan(1);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^LOW +DUPLICATE_POLICY +[0-9a-f]{20} +The service policy "(ops dial|twin)" grants the same as "(ops dial|twin)"\.$/,
      ),
    );
    expect(lines.at(-1)).toBe(`${String(severities.length)} findings.`);
  });

  it('shows some kinds alone, as JSON with what helps', async () => {
    const args = ['--kind', 'duplicate-policy', '--kind', 'SHADOWED_POLICY', '--json'];
    const { out } = await overgraph(['findings', ...args]);
    const found = JSON.parse(out) as Row[];
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      kind: 'DUPLICATE_POLICY',
      changes: [{ operation: 'delete', type: 'servicePolicy' }],
    });
  });

  it('ends with 1 when told to, for findings as bad', async () => {
    const low = ['findings', '--kind', 'duplicate-policy', '--fail-on'];
    expect(await overgraph([...low, 'medium'])).toMatchObject({ code: 0, err: '' });
    expect(await overgraph([...low, 'low'])).toMatchObject({
      code: 1,
      err: 'overgraph: 1 finding of severity low or worse\n',
    });
  });

  it('ends quietly when the reader of its output has enough', async () => {
    const env = {
      OVERGRAPH_DATA_DIR: controller.dataDir,
      OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD,
    };
    const url = ['--url', `https://localhost:${String(controller.port)}`];
    for (const [reader, ...args] of [
      ['| head -1', 'findings'],
      ['| true', 'findings'],
      ['| true', 'export'],
    ]) {
      const ended = await overgraphInto(String(reader), env, ...args, ...url);
      expect(ended).toMatchObject({ code: 0, err: '' });
    }
    const answer = await overgraphInto('| true', env, 'why', 'ada', 'wiki', ...url);
    expect(answer).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^overgraph: "ada" .*\n$/),
    });
  });
});
