import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { ADMIN, callerOf, InProcess, InProcessRest } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';

/** Findings have ids that last, by which they are muted. */

const HOUR = 3_600_000;

let now = new Date('2026-03-01T12:00:00Z');
const clock = { now: () => now };
const pass = (hours: number): void => {
  now = new Date(now.getTime() + hours * HOUR);
};
const after = (hours: number): string => new Date(now.getTime() + hours * HOUR).toISOString();

let controller: InProcess;
let adminId: string;
const { idOf, make } = new NamedEntities(() => controller);
const service = (name: string): Promise<void> =>
  make('Service', name, { encryptionRequired: true });

beforeAll(async () => {
  controller = await InProcess.start(undefined, clock);
  for (const name of ['wiki', 'vault']) await service(name);
  await make('ServicePolicy', 'ghosts', {
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#ghosts'],
    serviceRoles: ['#all'],
  });
  adminId = await controller.defaultAdminId();
});
afterAll(() => controller.stop());

interface Found {
  readonly id: string | null;
  readonly findingId: string;
  readonly kind: string;
  readonly entities: readonly { readonly entityId: string }[];
  readonly mute: Row | null;
}

interface Asked {
  readonly kinds?: readonly string[];
  readonly includeMuted?: boolean;
  readonly at?: string;
}

interface Listed {
  readonly nodes: readonly Found[];
  readonly totalCount: number;
}

const FINDINGS = `query ($kinds: [FindingKind!], $includeMuted: Boolean, $at: String) {
  findings(kinds: $kinds, includeMuted: $includeMuted, at: $at, first: 500) {
    totalCount nodes { id findingId kind entities { entityId }
      mute { findingId reason mutedUntil mutedById } } } }`;

const list = async (asked: Asked = {}, on = controller, ctx = on.ctx()): Promise<Listed> =>
  (await on.read<{ findings: Listed }>(FINDINGS, { ...asked }, ctx)).findings;

/** Each finding as its kind and what it is about, with its id. */
const idsBySubject = ({ nodes }: Listed): Row =>
  Object.fromEntries(
    nodes.map(({ kind, entities, findingId }) => [
      `${kind} ${String(entities[0]?.entityId)}`,
      findingId,
    ]),
  );

/** The finding that nobody dials the service. */
async function undialed(
  name: string,
  asked: Asked = {},
  on = controller,
): Promise<Found | undefined> {
  const { nodes } = await list({ ...asked, kinds: ['SERVICE_NOBODY_DIALS'] }, on);
  return nodes.find(({ entities }) => entities[0]?.entityId === idOf(name));
}
const findingOf = async (name: string): Promise<string> =>
  (await undialed(name, { includeMuted: true }))?.findingId ?? '';

const asAdmin = (on = controller) => on.ctx({ ...ADMIN, identityId: adminId });

const MUTE = `mutation ($id: ID!, $reason: String!, $until: DateTime) {
  muteFinding(id: $id, reason: $reason, until: $until) {
    findingId reason mutedUntil mutedBy { id } createdAt updatedAt } }`;
const UNMUTE = 'mutation ($id: ID!) { unmuteFinding(id: $id) }';

const mute = async (id: string, reason: string, until?: string, on = controller): Promise<Row> =>
  (await on.read<{ muteFinding: Row }>(MUTE, { id, reason, until }, asAdmin(on))).muteFinding;
const unmute = (id: string): Promise<unknown> => controller.read(UNMUTE, { id }, asAdmin());

describe('the id of a finding', () => {
  test('is the same on another controller, after a restart, and whatever else is asked', async () => {
    const first = await list();
    const beside = await InProcess.start(controller, clock);
    const second = await list({}, beside).finally(() => beside.stop());
    expect(first.totalCount).toBeGreaterThan(4);
    expect(second).toStrictEqual(first);
    for (const finding of first.nodes) {
      expect(finding.id).toBe(finding.findingId);
      const { nodes } = await list({ kinds: [finding.kind] });
      expect(nodes).toContainEqual(finding);
    }
  });

  test('stays while things are renamed and others come', async () => {
    const before = idsBySubject(await list());
    await controller.read(
      'mutation ($id: ID!) { updateService(id: $id, input: { name: "the wiki" }) { id } }',
      { id: idOf('wiki') },
    );
    await service('blog');
    const after = idsBySubject(await list());
    expect(after).toMatchObject(before);
    expect(Object.keys(after).length).toBeGreaterThan(Object.keys(before).length);
  });

  test('is the same of the past and in simulations, which are no objects of caches', async () => {
    const before = await settledChange(controller);
    await service('shop');
    const findingId = await findingOf('shop');
    const change = { operation: 'delete', type: 'service', id: idOf('shop') };
    const { simulate } = await controller.read<{ simulate: { findings: Row } }>(
      `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) {
        findings { vanished { id findingId mute { reason } } } } }`,
      { changes: [change] },
    );
    expect(simulate.findings.vanished).toContainEqual({ id: null, findingId, mute: null });
    const wiki = await undialed('wiki');
    expect(await undialed('wiki', { at: before })).toStrictEqual({ ...wiki, id: null });
  });
});

describe('findings', () => {
  test('are listed by severity', async () => {
    const query = `query ($severities: [Severity!]) {
      findings(severities: $severities, first: 500) { totalCount nodes { severity } } }`;
    const count = async (...severities: readonly string[]): Promise<number> => {
      const { findings } = await controller.read<{
        findings: { totalCount: number; nodes: readonly { severity: string }[] };
      }>(query, { severities });
      expect(findings.nodes.every(({ severity }) => severities.includes(severity))).toBe(true);
      expect(findings.nodes).toHaveLength(findings.totalCount);
      return findings.totalCount;
    };
    const { totalCount } = await list();
    const [high, medium, low] = [await count('HIGH'), await count('MEDIUM'), await count('LOW')];
    expect(high).toBeGreaterThan(0);
    expect(medium).toBeGreaterThan(0);
    expect(high + medium + low).toBe(totalCount);
    expect(await count('HIGH', 'LOW')).toBe(high + low);
  });

  test('are read by their ids, also muted ones', async () => {
    const query = 'query ($id: ID!) { finding(id: $id) { id findingId mute { reason } } }';
    const id = await findingOf('wiki');
    expect(await controller.read(query, { id })).toEqual({
      finding: { id, findingId: id, mute: null },
    });
    await mute(id, 'known');
    expect(await controller.read(query, { id })).toEqual({
      finding: { id, findingId: id, mute: { reason: 'known' } },
    });
    await unmute(id);
    expect(await controller.read(query, { id: 'gone' })).toEqual({ finding: null });
  });
});

describe('a muted finding', () => {
  test('is left out of the list and the count at every controller, until it is unmuted', async () => {
    const other = await InProcess.start(controller, clock);
    try {
      const before = await list();
      const id = await findingOf('wiki');
      expect(await mute(id, 'not used before May')).toStrictEqual({
        findingId: id,
        reason: 'not used before May',
        mutedUntil: null,
        mutedBy: { id: adminId },
        createdAt: now.toISOString(),
        updatedAt: now.toISOString(),
      });
      for (const on of [controller, other]) {
        const muted = await list({}, on);
        expect(muted.totalCount).toBe(before.totalCount - 1);
        expect(muted.nodes).toStrictEqual(before.nodes.filter((n) => n.findingId !== id));
        const all = await list({ includeMuted: true }, on);
        expect(all.totalCount).toBe(before.totalCount);
        expect(all.nodes.find((n) => n.findingId === id)?.mute).toStrictEqual({
          findingId: id,
          reason: 'not used before May',
          mutedUntil: null,
          mutedById: adminId,
        });
        expect(all.nodes.filter((n) => n.mute !== null)).toHaveLength(1);
      }
      expect(await other.read(UNMUTE, { id }, asAdmin(other))).toStrictEqual({ unmuteFinding: id });
      expect(await list()).toStrictEqual(before);
    } finally {
      await other.stop();
    }
  });

  test('comes back at the end of its mute, to the millisecond', async () => {
    const id = await findingOf('vault');
    const end = after(2);
    expect(await mute(id, 'until the move', end)).toMatchObject({ mutedUntil: end });
    now = new Date(Date.parse(end) - 1);
    expect(await undialed('vault')).toBeUndefined();
    now = new Date(end);
    expect(await undialed('vault')).toMatchObject({ findingId: id, mute: null });
    expect(await undialed('vault', { includeMuted: true })).toMatchObject({ mute: null });
    expect(await mute(id, 'the move is late')).toMatchObject({ mutedUntil: null });
    expect(await undialed('vault')).toBeUndefined();
    await unmute(id);
  });

  test('that is muted again has the new reason and end, of the one who said so last', async () => {
    const id = await findingOf('vault');
    const { createdAt } = await mute(id, 'first', after(1));
    pass(0.5);
    expect(await mute(id, '  second ', after(3))).toStrictEqual({
      findingId: id,
      reason: 'second',
      mutedUntil: after(3),
      mutedBy: { id: adminId },
      createdAt,
      updatedAt: now.toISOString(),
    });
    const { findingMutes } = await controller.read<{ findingMutes: { totalCount: number } }>(
      'query ($f: String!) { findingMutes(filter: $f) { totalCount } }',
      { f: `findingId = "${id}"` },
    );
    expect(findingMutes.totalCount).toBe(1);
    await unmute(id);
  });

  test('is muted by one of two who do it at once, and the other one loses nothing', async () => {
    const other = await InProcess.start(controller, clock);
    const id = await findingOf('wiki');
    const ctx = (on: InProcess) => on.graph(MUTE, { id, reason: 'at once' }, asAdmin(on));
    const outcomes = await Promise.all([ctx(controller), ctx(other)]).finally(() => other.stop());
    const codes = outcomes.flatMap(({ errors }) => errors.map((error) => error?.code));
    expect([[], ['COULD_NOT_VALIDATE']]).toContainEqual(codes);
    await unmute(id);
  });

  test('is in the change log, with who did it', async () => {
    const id = await findingOf('wiki');
    const since = await settledChange(controller);
    await mute(id, 'for the audit');
    await mute(id, 'for the next audit');
    await unmute(id);
    await settledChange(controller);
    const { changes } = await controller.read<{ changes: { nodes: Row[] } }>(
      `query ($since: String!) { changes(since: $since, filter: "type = \\"FindingMute\\"") {
        nodes { operation actorId before after } } }`,
      { since },
    );
    expect(changes.nodes).toMatchObject([
      { operation: 'create', actorId: adminId, after: { findingId: id, reason: 'for the audit' } },
      { operation: 'update', actorId: adminId, after: { reason: 'for the next audit' } },
      { operation: 'delete', actorId: adminId, before: { findingId: id } },
    ]);
  });

  test('tells its reason to everybody who may read findings', async () => {
    const id = await findingOf('wiki');
    await mute(id, 'known');
    const analyst = controller.ctx(
      callerOf(
        adminId,
        ...['identity', 'service', 'service-policy', 'router', 'edge-router-policy'].map(
          (entity) => `${entity}.read`,
        ),
        ...['service-edge-router-policy', 'posture-check', 'ca', 'auth-policy'].map(
          (entity) => `${entity}.read`,
        ),
      ),
    );
    const { nodes } = await list({ includeMuted: true }, controller, analyst);
    expect(nodes.find((n) => n.findingId === id)?.mute).toMatchObject({ reason: 'known' });
    const refused = await controller.graph(UNMUTE, { id }, analyst);
    expect(refused.errors[0]?.code).toBe('UNAUTHORIZED');
    await unmute(id);
  });

  test('is not told as new or gone by simulations', async () => {
    await service('crm');
    const id = await findingOf('crm');
    const dial = {
      operation: 'create',
      type: 'servicePolicy',
      input: {
        name: 'crm',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#all'],
        serviceRoles: [`@${idOf('crm')}`],
      },
    };
    const told = async (change: Row, list: 'appeared' | 'vanished'): Promise<[boolean, number]> => {
      const { simulate } = await controller.read<{
        simulate: { findings: Record<string, { findingId: string }[] & number> };
      }>(
        `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) {
          findings { ${list} { findingId } ${list}Count } } }`,
        { changes: [change] },
      );
      const { findings } = simulate;
      const ids = findings[list]?.map(({ findingId }) => findingId) ?? [];
      return [ids.includes(id), Number(findings[`${list}Count`])];
    };
    const [isTold, vanish] = await told(dial, 'vanished');
    await mute(id, 'bought, not used');
    const [isToldMuted, vanishMuted] = await told(dial, 'vanished');
    expect([isTold, isToldMuted, vanishMuted]).toStrictEqual([true, false, vanish - 1]);
    const policyId = await controller.create('ServicePolicy', dial.input);
    const undo = { operation: 'delete', type: 'servicePolicy', id: policyId };
    const [comesMuted, appearMuted] = await told(undo, 'appeared');
    await unmute(id);
    const [comes, appear] = await told(undo, 'appeared');
    expect([comesMuted, comes, appear]).toStrictEqual([false, true, appearMuted + 1]);
  });
});

describe('muting refuses', () => {
  const refusal = async (text: string, variables: Row): Promise<unknown> => {
    const { errors } = await controller.graph(text, variables, asAdmin());
    const { code, detail } = errors[0] ?? {};
    return [code, detail?.kind === 'field' ? detail.field : detail];
  };

  test('an id that no finding has now', async () => {
    expect(await refusal(MUTE, { id: 'f'.repeat(20), reason: 'a typing error' })).toStrictEqual([
      'NOT_FOUND',
      { kind: 'message', message: `finding with id ${'f'.repeat(20)} not found` },
    ]);
  });

  test.each([
    ['an empty reason', { reason: '' }, 'reason'],
    ['a blank reason', { reason: ' \n\t' }, 'reason'],
    ['a reason that is too long', { reason: 'x'.repeat(1_001) }, 'reason'],
    ['an end that is past', { reason: 'late', until: '2026-02-28T00:00:00Z' }, 'until'],
  ])('%s', async (_, input, field) => {
    const id = await findingOf('wiki');
    expect(await refusal(MUTE, { id, ...input })).toStrictEqual(['COULD_NOT_VALIDATE', field]);
    expect(await undialed('wiki')).toBeDefined();
  });

  test('to unmute what is not muted', async () => {
    const id = await findingOf('wiki');
    expect(await refusal(UNMUTE, { id })).toStrictEqual([
      'NOT_FOUND',
      { kind: 'message', message: `findingMute with id ${id} not found` },
    ]);
  });
});

describe('the REST door', () => {
  let rest: InProcessRest;
  beforeAll(async () => {
    rest = await InProcessRest.listen(controller, adminId);
  });
  afterAll(() => rest.stop());

  const rows = async (query: string): Promise<Row[]> =>
    (await rest.get(`/findings?limit=500${query}`)).body.data;

  test('shows ids, mutes, unmutes and lists mutes', async () => {
    const id = await findingOf('wiki');
    expect(await rows('')).toContainEqual(expect.objectContaining({ id, mute: null }));
    const end = after(1);
    const muted = await rest.send('POST', `/findings/${id}/mute`, { reason: 'known', until: end });
    expect([muted.status, muted.body]).toMatchObject([200, { data: {} }]);
    expect((await rows('')).map((row) => row.id)).not.toContain(id);
    const mutedRow = (await rows('&includeMuted=true')).find((row) => row.id === id);
    expect(mutedRow).toMatchObject({
      mute: { reason: 'known', mutedUntil: end, mutedBy: { id: adminId, name: 'admin' } },
    });
    const listed = (await rest.get('/finding-mutes')).body.data;
    expect(listed).toMatchObject([{ findingId: id, reason: 'known', mutedUntil: end }]);
    const unmuted = await rest.send('POST', `/findings/${id}/unmute`);
    expect(unmuted.status).toBe(200);
    expect((await rows('')).map((row) => row.id)).toContain(id);
  });

  test('tells ids of the past and of simulations', async () => {
    const id = await findingOf('wiki');
    const at = encodeURIComponent(await settledChange(controller));
    expect((await rows(`&at=${at}`)).map((row) => row.id)).toContain(id);
    const changes = [{ operation: 'delete', type: 'service', id: idOf('wiki') }];
    const { body } = await rest.send('POST', '/simulate', { changes });
    const { findings } = body.data as { findings: { vanished: Row[] } };
    expect(findings.vanished.map((row) => row.id)).toContain(id);
  });

  test.each([
    [{}, 'reason'],
    [{ reason: 7 }, 'reason'],
    [{ reason: 'x', until: 'tomorrow' }, 'until'],
    [{ reason: 'x', until: '2020-01-01T00:00:00Z' }, 'until'],
  ])('refuses %j', async (body, field) => {
    const answer = await rest.send('POST', `/findings/${await findingOf('wiki')}/mute`, body);
    expect([answer.status, answer.body.error]).toMatchObject([400, { cause: { field } }]);
  });

  test('refuses an unknown finding, and what is neither true nor false', async () => {
    const { status } = await rest.send('POST', '/findings/nothing/mute', { reason: 'x' });
    expect(status).toBe(404);
    expect((await rest.get('/findings?includeMuted=maybe')).status).toBe(400);
  });
});
