import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { startController, type Envelope } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { NamedEntities, REST_KINDS } from '../../support/named-entities.js';
import { makeGate, makeOfficeCheck } from './gate-and-office.js';
import { linesOf, overgraph as run, type Ended } from './overgraph.js';

/** Questions about what policies grant, rule out and granted before: the built command against a built controller. */

let controller: Awaited<ReturnType<typeof startController>>;
let folder: string;
const entities = new NamedEntities(() => controller, REST_KINDS);
const { idOf, make, person } = entities;
const NOBODY = { reason: null, requestedBy: null, approvedBy: null };
const ENDLESS = { source: 'staff list', activeUntil: null, ...NOBODY };
const EVE = 'eve \u001b[31m';

const service = (name: string, ...roleAttributes: string[]): Promise<void> =>
  make('services', name, { encryptionRequired: true, roleAttributes });
const roles = (identityRoles: string[], serviceRoles: string[], type = 'Dial') => ({
  type,
  semantic: 'AnyOf',
  identityRoles,
  serviceRoles,
});

/** The id of the last change of an entity: a change is listed once no older transaction is under way. */
async function changeOf(id: string): Promise<string> {
  const path = `/changes?filter=entityId="${id}"%20sort%20by%20id%20desc%20limit%201`;
  const { value } = await eventually(async () => {
    const { body } = await controller.rest('GET', path);
    const [change] = body.data as { id: string }[];
    if (!change) throw new Error(`no change of ${id} is listed`);
    return change.id;
  });
  return value;
}

beforeAll(async () => {
  controller = await startController();
  folder = await mkdtemp(join(tmpdir(), 'overgraph-access-'));
  await person('ada', 'staff');
  await person('bob', 'staff', 'ops');
  await person(EVE, 'guest');
  await service('wiki', 'docs');
  await service('vault', 'secret');
  await service('lone');
  await makeOfficeCheck(entities);
  await makeGate(entities);
  await make('service-policies', 'staff reads', {
    ...roles(['#staff'], ['#docs']),
    postureCheckRoles: ['#at-work'],
  });
  await make('service-policies', 'ops dial', roles(['#ops'], [`@${idOf('vault')}`, '#docs']));
  await make('service-policies', 'vault host', roles([`@${idOf('bob')}`], ['#secret'], 'Bind'));
  await make('service-policies', 'eve lone', roles([`@${idOf(EVE)}`], [`@${idOf('lone')}`]));
});

afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

const overgraph = (...args: string[]): Promise<Ended> =>
  run({ port: controller.port, dataDir: controller.dataDir, folder }, args);

describe('why --policy-only', () => {
  it('leaves posture and presence out of the answer when policies alone are asked about', async () => {
    const told = await overgraph('why', 'ada', 'wiki', '--policy-only');
    expect(told).toMatchObject({ code: 0, err: '' });
    expect(linesOf(told)).toEqual([
      '"ada" may dial "wiki" by the policies',
      '├─ policies that grant it',
      '│  └─ "staff reads" (AnyOf)',
      '│     ├─ identity by #staff',
      '│     └─ service by #docs',
      '└─ edge routers',
      '   ├─ of the identity',
      '   │  └─ "gate", by "gates"',
      '   ├─ of the service',
      '   │  └─ "gate", by "carry"',
      '   └─ of both',
      '      └─ "gate"',
    ]);
    const { code, out } = await overgraph('why', 'ada', 'wiki', '--policy-only', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ allowed: true, obstacles: [] });
    expect(out).not.toMatch(
      /isOnline|isDisabled|verdicts|postureChecks|NONE_ONLINE|NO_TERMINATORS/,
    );
  });

  it('still tells what policies have in the way', async () => {
    const denied = await overgraph('why', 'ada', 'vault', '--policy-only');
    expect({ code: denied.code, err: denied.err }).toEqual({
      code: 1,
      err: 'overgraph: "ada" can not dial "vault" by the policies: NO_POLICY\n',
    });
    expect(linesOf(denied)).toContain('│  └─ NO_POLICY: no policy grants it');
    const apart = await overgraph('why', idOf(EVE), 'lone', '--policy-only');
    expect(apart.code).toBe(1);
    expect(linesOf(apart)[0]).toBe(
      '"eve \\u{1b}[31m" may dial "lone", but can not by the policies',
    );
    expect(apart.err).toContain('by the policies: NO_COMMON_ROUTER\n');
  });
});

describe('why', () => {
  it('ends with 0 when a controller says that the service can be reached', async () => {
    const gate = { id: 'g', name: 'gate', isOnline: true, isDisabled: false };
    const router = { ...gate, edgeRouterPolicies: [], serviceEdgeRouterPolicies: [] };
    const verdict = { apiSessionId: 's1', isPassing: false };
    const failure = { actualValue: 'home', expectedValue: ['office'] };
    const check = { id: 'c', name: 'office', typeId: 'DOMAIN' };
    const path = { policy: { id: 'p', name: 'all' }, semantic: 'AllOf', serviceRoles: [] };
    const verdicts = [
      { ...verdict, failure },
      { apiSessionId: 's2', isPassing: true, failure: null },
    ];
    const found = [{ nodes: [{ id: 'i', name: 'ada' }] }, { nodes: [{ id: 's', name: 'wiki' }] }];
    const answers: Row = {
      authenticate: { token: 't' },
      identityByName: found[0],
      identityById: { nodes: [] },
      serviceByName: found[1],
      serviceById: { nodes: [] },
      deleteCurrentApiSession: true,
      access: {
        allowed: true,
        obstacles: [],
        paths: [
          {
            ...path,
            identityRoles: [{ role: '#all' }, { role: '#ops' }],
            postureChecks: [{ ...check, verdicts }],
          },
        ],
        routers: { identitySide: [], serviceSide: [], common: [router] },
        assignments: [
          {
            roleAttribute: 'ops',
            source: 'hand',
            activeUntil: '2030-01-02T18:00:00.000Z',
            reason: 'ticket 17',
            requestedBy: { name: 'ada' },
            approvedBy: { name: 'bob' },
          },
          { ...ENDLESS, roleAttribute: 'ops' },
          { ...ENDLESS, roleAttribute: 'staff' },
        ],
        nearestMisses: { totalCount: 0, nodes: [] },
      },
    };
    const [key, cert] = await Promise.all(
      ['server.key', 'server.pem'].map((name) => readFile(join(controller.dataDir, 'pki', name))),
    );
    const online = createServer({ key, cert }, (request, response) => {
      void text(request).then(() => response.end(JSON.stringify({ data: answers })));
    });
    await new Promise<void>((listening) => online.listen(0, 'localhost', listening));
    try {
      const { port } = online.address() as { port: number };
      const told = await run({ port, dataDir: controller.dataDir, folder }, [
        'why',
        'ada',
        'wiki',
        '-k',
      ]);
      expect(told).toMatchObject({ code: 0, err: '' });
      expect(linesOf(told)).toEqual([
        '"ada" may dial "wiki", and can',
        '├─ policies that grant it',
        '│  └─ "all" (AllOf)',
        '│     ├─ identity by #all, #ops',
        '│     │  ├─ #ops is assigned until 2030-01-02T18:00:00.000Z, asked for by "ada", approved by "bob": ticket 17',
        '│     │  └─ #ops is assigned without end by "staff list"',
        '│     ├─ service by ',
        '│     └─ posture check "office" (DOMAIN)',
        '│        ├─ fails in API session s1: found "home", wanted ["office"]',
        '│        └─ passes in API session s2',
        '└─ edge routers',
        '   ├─ of the identity: none',
        '   ├─ of the service: none',
        '   └─ of both',
        '      └─ "gate" (online)',
      ]);
    } finally {
      online.closeAllConnections();
      online.close();
    }
  });
});

describe('who-reaches', () => {
  it('lists the identities that may dial a service, with the policies and roles that let them', async () => {
    const told = await overgraph('who-reaches', 'wiki');
    expect(told).toMatchObject({ code: 0, err: '' });
    expect(linesOf(told)).toEqual([
      'identity  policies',
      'ada       staff reads (#staff to #docs)',
      expect.stringMatching(
        /^bob {7}(ops dial \(#ops to #docs\), staff reads \(#staff to #docs\)|staff reads .*, ops dial .*)$/,
      ),
      '',
      '2 identities may dial "wiki".',
    ]);
  });

  it('lists those that may host it, takes an id, and names what roles name', async () => {
    expect(linesOf(await overgraph('who-reaches', idOf('vault'), '--bind'))).toEqual([
      'identity  policies',
      'bob       vault host (@bob to #secret)',
      '',
      '1 identity may bind "vault".',
    ]);
    const eve = linesOf(await overgraph('who-reaches', 'lone'));
    expect(eve[1]).toBe('eve \\u{1b}[31m  eve lone (@eve \\u{1b}[31m to @lone)');
    const nobody = await overgraph('who-reaches', 'lone', '--bind');
    expect(nobody).toMatchObject({ code: 0, out: 'No identity may bind "lone".\n' });
  });

  it('gives JSON, of some with --limit', async () => {
    const { out } = await overgraph('who-reaches', 'wiki', '--json', '--limit', '1');
    const answer = JSON.parse(out) as { totalCount: number; nodes: object[] };
    expect(answer).toMatchObject({
      service: { id: idOf('wiki'), name: 'wiki' },
      type: 'Dial',
      totalCount: 2,
    });
    expect(answer.nodes).toHaveLength(1);
    const few = linesOf(await overgraph('who-reaches', 'wiki', '--limit', '1'));
    expect(few.slice(2)).toEqual(['… and 1 more', '', '2 identities may dial "wiki".']);
  });

  it('reads more than a page', async () => {
    const services = Array.from({ length: 502 }, (_, i) => ({
      name: `many-${String(i).padStart(3, '0')}`,
      encryptionRequired: true,
      roleAttributes: ['many'],
    }));
    await writeFile(join(folder, 'many.json'), JSON.stringify({ services }));
    expect(await overgraph('import', 'many.json')).toMatchObject({ code: 0 });
    await make('service-policies', 'many', roles([`@${idOf('ada')}`], ['#many']));
    const lines = linesOf(await overgraph('reaches', 'ada'));
    expect(new Set(lines.filter((line) => line.startsWith('many-'))).size).toBe(502);
    expect(lines.at(-1)).toBe('"ada" may dial 503 services.');
  });

  it.each([
    [['who-reaches', 'nothing'], 'there is no service "nothing"'],
    [['who-reaches'], 'who-reaches takes a service'],
    [['reaches', 'nobody'], 'there is no identity "nobody"'],
    [['who-reaches', 'wiki', '--limit', 'few'], '--limit must be a whole number from 1, is "few"'],
    [['diff'], 'diff takes --from'],
    [['diff', '--from', 'yesterday'], 'from: '],
    [['rules', 'x'], 'rules takes no operands'],
  ])('ends with 2 when used as %j', async (args, message) => {
    const { code, err, out } = await overgraph(...args);
    expect({ code, err, out }).toEqual({ code: 2, err: expect.stringContaining(message), out: '' });
  });
});

describe('reaches', () => {
  it('lists the services that an identity may dial', async () => {
    expect(linesOf(await overgraph('reaches', EVE))).toEqual([
      'service  policies',
      'lone     eve lone (@eve \\u{1b}[31m to @lone)',
      '',
      '"eve \\u{1b}[31m" may dial 1 service.',
    ]);
  });
});

describe('diff', () => {
  it('lists the pairs that were gained and lost between two points, by which policies', async () => {
    await service('marker');
    const point = await changeOf(idOf('marker'));
    const id = await controller.create('service-policies', {
      name: 'guests read',
      ...roles(['#guest'], ['#docs']),
    });
    const gained = await overgraph('diff', '--from', point);
    expect(gained).toMatchObject({ code: 0, err: '' });
    expect(linesOf(gained)).toEqual([
      '        gained  lost',
      'access       1     0',
      '',
      'Access gained: 1',
      'identity        type  service  policies',
      'eve \\u{1b}[31m  Dial  wiki     guests read',
    ]);
    const failed = await overgraph('diff', '--from', point, '--fail-on-gained');
    expect(failed).toMatchObject({ code: 1, err: 'overgraph: access widens by 1 pair\n' });
    const between = await changeOf(id);
    await controller.rest('DELETE', `/service-policies/${id}`);
    const { code, out } = await overgraph('diff', '--from', between, '--fail-on-gained', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      gained: { totalCount: 0, nodes: [] },
      lost: { totalCount: 1, nodes: [{ identityId: idOf(EVE), serviceName: 'wiki' }] },
    });
    expect(await overgraph('diff', '--from', point)).toMatchObject({
      code: 0,
      out: 'Access is the same at both points.\n',
    });
    const both = await overgraph('diff', '--from', point, '--to', between, '--limit', '1');
    expect(both.out).toContain('Access gained: 1\n');
  });
});

describe('rules', () => {
  it('tells which rules hold, and what violates the others', async () => {
    expect(await overgraph('rules')).toMatchObject({
      code: 0,
      out: 'There are no access rules.\n',
    });
    await make('access-rules', 'staff reads', {
      kind: 'MUST_REACH',
      ...roles(['#staff'], ['#docs']),
    });
    expect(await overgraph('rules')).toMatchObject({ code: 0, err: '' });
    const rule = {
      name: 'ops stay out',
      kind: 'MUST_NEVER_REACH',
      ...roles(['#ops'], ['#secret']),
    };
    // Bytes of UTF-8, as programs send them.
    const reason = Buffer.from('die „Prüfung“ im Mai').toString('latin1');
    const headers = { 'overgraph-override-reason': reason };
    const { status, body } = await controller.send<Envelope>(
      'POST',
      '/edge/management/v1/access-rules',
      {
        headers: { ...headers, 'content-type': 'application/json', 'zt-session': controller.token },
        // Beside a text, Node would write the header in UTF-8 once more.
        body: Buffer.from(JSON.stringify(rule)),
      },
    );
    expect(status).toBe(201);
    const { id } = body.data as { id: string };
    await changeOf(id);
    const log = await controller.rest('GET', `/changes?filter=entityId="${id}"`);
    expect(log.body.data).toMatchObject([{ reason: 'die „Prüfung“ im Mai' }]);
    const told = await overgraph('rules');
    expect({ code: told.code, err: told.err }).toEqual({
      code: 1,
      err: 'overgraph: 1 access rule violated\n',
    });
    expect(linesOf(told)).toEqual([
      'rule          holds  kind              type  identities  services',
      'ops stay out  no     MUST_NEVER_REACH  Dial  #ops        #secret',
      'staff reads   yes    MUST_REACH        Dial  #staff      #docs',
      '',
      'Violations: 1',
      'rule          identity  type  service  policies',
      'ops stay out  bob       Dial  vault    ops dial',
    ]);
    const { code, out } = await overgraph('rules', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject([
      {
        name: 'ops stay out',
        holds: false,
        violations: { totalCount: 1, nodes: [{ identityName: 'bob' }] },
      },
      { name: 'staff reads', holds: true, violations: { totalCount: 0, nodes: [] } },
    ]);
  });
});
