import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { MIN_NODES } from '../../src/access/analysis/index.js';
import { recordMfa } from '../../src/trust/posture/index.js';
import { originOf } from '../../src/kernel/write/write.js';
import { ACCESS_READS } from '../support/access-reads.js';
import { callerOf, InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';

/** Where the checks of the devices fail now, on the map of the policies. */

let controller: InProcess;
let now = Date.now();
const { idOf, make, person, policy } = new NamedEntities(() => controller);

const MINUTE = 60_000;

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: () => new Date(now) });
  for (const name of ['ada', 'bob', 'cy', 'dan']) await person(name, 'staff');
  await person('eve', 'staff', 'ops');
  for (const name of ['wiki', 'vault']) {
    await make('Service', name, { encryptionRequired: true, roleAttributes: [name] });
  }
  await make('PostureCheck', 'mfa', {
    typeId: 'MFA',
    timeoutSeconds: 600,
    roleAttributes: ['strict'],
  });
  await make('PostureCheck', 'domain', {
    typeId: 'DOMAIN',
    domains: ['example.com'],
    roleAttributes: ['strict'],
  });
  const checked = (...names: string[]): Row => ({ postureCheckRoles: names });
  await policy('by mfa', ['#staff'], ['#wiki'], checked(`@${idOf('mfa')}`));
  await policy('by both', ['#staff'], ['#wiki'], checked('#strict'));
  await policy('by domain', ['#ops'], ['#vault'], checked(`@${idOf('domain')}`));
  await policy('ops host', ['#ops'], ['#vault'], { type: 'Bind' });
  await policy('of nobody', ['#nobody'], ['#wiki'], checked('#strict'));
  await device('ada', 'example.com', false);
  await device('ada', 'example.com', true);
  await device('bob', 'EXAMPLE.com', false);
  await device('dan', 'example.com', true);
  await device('eve', 'elsewhere.com', true);
  await controller.read(
    'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }',
    { id: idOf('dan') },
  );
});
afterAll(() => controller.stop());

/** A session on a device in a domain; the second factor may be given there. */
async function device(name: string, domain: string, hasMfa: boolean): Promise<void> {
  const { id: apiSessionId } = await controller.openSession(idOf(name));
  const ctx = controller.ctx({ ...callerOf(idOf(name)), apiSessionId });
  await controller.read(
    `mutation ($domain: String!) { submitPosture(responses: [{ id: "x", typeId: "DOMAIN", domain: $domain }]) {
      services { serviceId } } }`,
    { domain },
    ctx,
  );
  if (!hasMfa) return;
  await ctx.store.write(originOf(ctx), (tx) =>
    recordMfa(ctx.modules.posture, tx, { identityId: idOf(name), apiSessionId }),
  );
}

interface PostureNode {
  readonly key: string;
  readonly kind: string;
  readonly sampleNames: readonly string[];
  readonly change: string | null;
  readonly judgedCount: number | null;
  readonly failingCount: number | null;
}

const NODES = 'nodes { key kind sampleNames change judgedCount failingCount }';

async function nodesOf(args = '', variables: Row = {}): Promise<readonly PostureNode[]> {
  const { accessMap } = await controller.read<{ accessMap: { nodes: PostureNode[] } }>(
    `query ($at: String, $changes: [ModelChangeInput!]) {
      accessMap(at: $at, changes: $changes, ${args}) { ${NODES} } }`,
    variables,
  );
  return accessMap.nodes;
}

/** `failing of judged` by the first names of the nodes of a kind. */
const shown = (nodes: readonly PostureNode[], kind: string): Row =>
  Object.fromEntries(
    nodes
      .filter((node) => node.kind === kind)
      .map(({ sampleNames, failingCount, judgedCount }) => [
        sampleNames.join(),
        `${String(failingCount)} of ${String(judgedCount)}`,
      ]),
  );

const EXPECTED = {
  policies: {
    'by mfa': '1 of 3',
    'by both': '2 of 3',
    'by domain': '1 of 1',
    'ops host': '0 of 0',
    'of nobody': '0 of 0',
  },
  identities: { 'ada,bob,cy': '1 of 2', eve: '1 of 1', admin: '0 of 0' },
};

describe('the map', () => {
  test('counts the identities that fail the checks of a policy in all sessions', async () => {
    const nodes = await nodesOf();
    expect(shown(nodes, 'servicePolicy')).toEqual(EXPECTED.policies);
    expect(shown(nodes, 'identity')).toEqual(EXPECTED.identities);
    expect(shown(nodes, 'service')).toEqual({ wiki: 'null of null', vault: 'null of null' });
  });

  test('counts by the policies that it shows', async () => {
    const bound = await nodesOf('type: Bind');
    expect(shown(bound, 'servicePolicy')).toEqual({ 'ops host': '0 of 0' });
    expect(shown(bound, 'identity')).toEqual({ 'ada,admin,bob': '0 of 0', eve: '0 of 0' });
    const ofVault = await nodesOf('serviceFilter: "name = \\"vault\\""');
    expect(shown(ofVault, 'identity')).toMatchObject({ eve: '1 of 1' });
    const ofBob = await nodesOf('identityFilter: "name = \\"bob\\""');
    expect(shown(ofBob, 'identity')).toEqual({ bob: '1 of 1' });
    expect(shown(ofBob, 'servicePolicy')).toEqual({ 'by mfa': '1 of 1', 'by both': '1 of 1' });
  });

  test('tells which members fail, as the answers about pairs do', async () => {
    const { accessMap } = await controller.read<{ accessMap: { nodes: Row[] } }>(
      '{ accessMap { nodes { members(first: 10) { nodes { kind name failsPosture } } } } }',
    );
    const members = accessMap.nodes.flatMap((node) => (node.members as { nodes: Row[] }).nodes);
    const verdicts = Object.fromEntries(
      members.map(({ kind, name, failsPosture }) => [
        kind === 'identity' ? String(name) : 'others',
        failsPosture,
      ]),
    );
    expect(verdicts).toEqual({
      admin: null,
      ada: false,
      bob: true,
      cy: null,
      dan: null,
      eve: true,
      others: null,
    });
    for (const name of ['ada', 'bob', 'cy', 'dan', 'eve']) {
      expect([name, await failsByPairs(name)]).toEqual([name, verdicts[name]]);
    }
  });

  test('shows posture as simulated changes leave policies and checks', async () => {
    const change = (operation: string, type: string, name: string, input?: Row): Row => ({
      operation,
      type,
      id: idOf(name),
      ...(input && { input }),
    });
    const after = (...changes: Row[]): Promise<readonly PostureNode[]> => nodesOf('', { changes });
    const checkedHost = await after(
      change('update', 'servicePolicy', 'ops host', { postureCheckRoles: ['#strict'] }),
    );
    expect(shown(checkedHost, 'servicePolicy')).toEqual({
      ...EXPECTED.policies,
      'ops host': '1 of 1',
    });
    const otherDomain = await after(
      change('update', 'postureCheck', 'domain', { domains: ['elsewhere.com'] }),
    );
    expect(shown(otherDomain, 'servicePolicy')).toEqual({
      ...EXPECTED.policies,
      'by domain': '0 of 1',
      'by both': '2 of 3',
    });
    expect(shown(otherDomain, 'identity')).toEqual({
      ...EXPECTED.identities,
      'ada,bob,cy': '2 of 2',
      eve: '0 of 1',
    });
    const without = await after(
      change('delete', 'identity', 'eve'),
      change('delete', 'servicePolicy', 'by mfa'),
      change('create', 'identity', 'zoe', {
        name: 'zoe',
        type: 'Default',
        isAdmin: false,
        roleAttributes: ['ops'],
      }),
    );
    expect(shown(without, 'identity')).toMatchObject({ eve: '1 of 1', 'ada,bob,cy': '1 of 2' });
    expect(shown(without, 'servicePolicy')).toMatchObject({
      'by mfa': '1 of 3',
      'by both': '1 of 2',
      'by domain': '0 of 0',
    });
    expect(shown(await nodesOf(), 'servicePolicy')).toEqual(EXPECTED.policies);
  });

  test('has no posture of the past', async () => {
    const at = await settledChange(controller);
    const nodes = await nodesOf('', { at });
    expect(nodes).toContainEqual(expect.objectContaining({ sampleNames: ['by mfa'] }));
    expect(nodes.every((node) => node.judgedCount === null && node.failingCount === null)).toBe(
      true,
    );
  });

  test('reads no posture unless it is asked for, and then all of it at once', async () => {
    const statements = async (fields: string, args = ''): Promise<number> => {
      await controller.forgetRows();
      const { statements: count } = await controller.graph(
        `{ accessMap${args} { nodes { count ${fields} } } }`,
      );
      return count;
    };
    const plain = await statements('');
    expect(await statements('failingCount judgedCount')).toBeLessThanOrEqual(plain + 2);
    expect(await statements('failingCount', '(type: Bind)')).toBe(
      await statements('', '(type: Bind)'),
    );
  });

  test('shows it to those who may read the answers about pairs', async () => {
    const ask = async (...permissions: string[]): Promise<unknown> => {
      const ctx = controller.ctx(callerOf(idOf('cy'), ...permissions));
      const { data, errors } = await controller.graph(
        '{ accessMap { nodes { failingCount members { nodes { failsPosture } } } } }',
        {},
        ctx,
      );
      return errors[0]?.code ?? (data?.accessMap as { nodes: Row[] }).nodes.length;
    };
    expect(await ask(...ACCESS_READS)).toBeGreaterThan(5);
    for (const each of ACCESS_READS) {
      expect(await ask(...ACCESS_READS.filter((other) => other !== each))).toBe('UNAUTHORIZED');
    }
  });

  test('follows what devices tell, and the time', async () => {
    await device('bob', 'example.com', true);
    expect(shown(await nodesOf(), 'servicePolicy')).toMatchObject({
      'by mfa': '0 of 3',
      'by both': '1 of 3',
    });
    now += 11 * MINUTE;
    expect(shown(await nodesOf(), 'servicePolicy')).toMatchObject({
      'by mfa': '3 of 3',
      'by both': '3 of 3',
      'by domain': '1 of 1',
    });
  });

  test('adds up what it merges, and counts each identity of merged policies once', async () => {
    for (let i = 0; i < MIN_NODES; i += 1) {
      await policy(`same ${String(i)}`, ['#staff'], ['#wiki'], {
        postureCheckRoles: [`@${idOf('domain')}`],
      });
      await person(`n${String(i)}`, `n${String(i)}`);
      await policy(`only ${String(i)}`, [`#n${String(i)}`], ['#wiki'], {
        postureCheckRoles: ['#strict'],
      });
    }
    await device('n3', 'example.com', true);
    await device('n5', 'elsewhere.com', true);
    const nodes = await nodesOf(`maxNodes: ${String(MIN_NODES)}`);
    const identities = nodes.filter(({ kind }) => kind === 'identity');
    const sum = (member: 'judgedCount' | 'failingCount'): number =>
      identities.reduce((total, node) => total + (node[member] ?? 0), 0);
    expect([sum('failingCount'), sum('judgedCount')]).toEqual([4, 5]);
    expect(shown(nodes, 'servicePolicy')).toMatchObject({
      'by both,by mfa,same 0': '3 of 3',
    });
    const { accessMapClass } = await controller.read<{ accessMapClass: Row }>(
      `query ($key: ID!) { accessMapClass(key: $key, maxNodes: ${String(MIN_NODES)}) {
        sampleNames isMerged judgedCount failingCount } }`,
      { key: (await nodesOf()).find(({ sampleNames }) => sampleNames[0] === 'n5')?.key },
    );
    expect(accessMapClass).toEqual({
      sampleNames: ['n5'],
      isMerged: false,
      judgedCount: 1,
      failingCount: 1,
    });
  });
});

interface Path {
  readonly postureChecks: readonly {
    readonly verdicts: readonly { readonly apiSessionId: string; readonly isPassing: boolean }[];
  }[];
}

/** Whether all sessions fail one of the paths to a service; null if none is judged. */
async function failsByPairs(name: string): Promise<boolean | null> {
  const verdicts: boolean[] = [];
  for (const service of ['wiki', 'vault']) {
    for (const type of ['Dial', 'Bind']) {
      const { access } = await controller.read<{ access: { paths: Path[] } }>(
        `query ($identityId: ID!, $serviceId: ID!, $type: AccessType!) {
          access(identityId: $identityId, serviceId: $serviceId, type: $type) {
            paths { postureChecks { verdicts { apiSessionId isPassing } } } } }`,
        { identityId: idOf(name), serviceId: idOf(service), type },
      );
      for (const { postureChecks } of access.paths) {
        const all = postureChecks.flatMap((check) => check.verdicts);
        const sessions = new Set(all.map(({ apiSessionId }) => apiSessionId));
        const failed = new Set(all.filter((v) => !v.isPassing).map((v) => v.apiSessionId));
        if (sessions.size > 0) verdicts.push(sessions.size === failed.size);
      }
    }
  }
  return verdicts.length === 0 ? null : verdicts.includes(true);
}
