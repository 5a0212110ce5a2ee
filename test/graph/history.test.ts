import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import { originOfController } from '../../src/kernel/write/write.js';
import { pruneUpTo, updateAgainstOrder } from '../data/changes/support.js';
import {
  momentOf,
  randomWrites,
  without,
  Writer,
  type Moment,
  type Pair,
} from '../data/changes/random-writes.js';
import { callerOf, InProcess, InProcessRest } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';
import { costlyRuns } from '../support/runs.js';

/** Who reached what at a point of the past, and what differs between two. */

let clock = Date.parse('2026-11-20T00:00:00Z');
let controller: InProcess;
/** Knows of the writes of the other only by the log, and does not follow it. */
let asleep: InProcess;
let rest: InProcessRest;
const { idOf, make, person } = new NamedEntities(() => controller);
/** When which change was the last one. */
const points = new Map<string, { readonly id: string; readonly time: string }>();
const at = (name: string): string => points.get(name)?.id ?? '';

const point = async (name: string): Promise<void> => {
  points.set(name, { id: await settledChange(controller), time: new Date(clock).toISOString() });
  clock += 60_000;
};

beforeAll(async () => {
  const now = () => new Date(clock);
  controller = await InProcess.start(undefined, { now });
  asleep = await InProcess.start(controller, { now });
  await point('start');
  await person('ada', 'staff');
  await make('Service', 'wiki', { encryptionRequired: true, roleAttributes: ['docs'] });
  await make('PostureCheck', 'domain', { typeId: 'DOMAIN', domains: ['example.com'] });
  await point('people');
  await make('ServicePolicy', 'readers', {
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: ['#docs'],
    postureCheckRoles: [`@${idOf('domain')}`],
  });
  await point('readers');
  await controller.read(
    'mutation ($id: ID!) { updateIdentity(id: $id, input: { name: "ada lovelace", roleAttributes: [] }) { id } }',
    { id: idOf('ada') },
  );
  await point('ada left');
  await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', {
    id: idOf('readers'),
  });
  await controller.read('mutation ($id: ID!) { deleteService(id: $id) }', { id: idOf('wiki') });
  await controller.read('mutation ($id: ID!) { deletePostureCheck(id: $id) }', {
    id: idOf('domain'),
  });
  await point('end');
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await asleep.stop();
  await controller.stop();
});

interface Listed {
  readonly nodes: readonly Row[];
  readonly totalCount: number;
}

async function pairsAt(on: InProcess, point: string, args = ''): Promise<Pair[]> {
  const { accesses } = await on.read<{ accesses: Listed }>(
    `query ($at: String!) { accesses(at: $at, first: 500${args}) { totalCount nodes { identityId serviceId type } } }`,
    { at: point },
  );
  expect(accesses.totalCount).toBe(accesses.nodes.length);
  return accesses.nodes.map(({ identityId, serviceId, type }) => [
    String(identityId),
    String(serviceId),
    String(type),
  ]);
}

const refusal = async (
  document: string,
  variables: Row,
  ctx = controller.ctx(),
): Promise<unknown> => {
  const { errors } = await controller.graph(document, variables, ctx);
  const detail = errors[0]?.detail;
  return [errors[0]?.code, detail?.kind === 'field' ? detail.field : undefined];
};

describe('accesses at a point', () => {
  test.each([
    ['start', 0],
    ['people', 0],
    ['readers', 1],
    ['ada left', 0],
    ['end', 0],
  ])('after the change of "%s" are %i, by its id and by its time', async (name, count) => {
    const pairs = count === 0 ? [] : [[idOf('ada'), idOf('wiki'), 'Dial']];
    expect(await pairsAt(controller, at(name))).toStrictEqual(pairs);
    expect(await pairsAt(controller, points.get(name)?.time ?? '')).toStrictEqual(pairs);
    expect(await pairsAt(asleep, at(name))).toStrictEqual(pairs);
  });

  test('show the names and the policies of then', async () => {
    const { accesses } = await controller.read<{ accesses: Listed }>(
      'query ($at: String!) { accesses(at: $at) { nodes { identityName serviceName service { name } paths { policyId policyName identityRoles { role } } } } }',
      { at: at('readers') },
    );
    expect(accesses.nodes).toStrictEqual([
      {
        identityName: 'ada',
        serviceName: 'wiki',
        service: null,
        paths: [
          {
            policyId: idOf('readers'),
            policyName: 'readers',
            identityRoles: [{ role: '#staff' }],
          },
        ],
      },
    ]);
  });

  test('of an identity are its own, and none when it was not there yet', async () => {
    const access = async (point: string): Promise<unknown> => {
      const { identity } = await controller.read<{ identity: { access: Listed } }>(
        'query ($id: ID!, $at: String!) { identity(id: $id) { access(at: $at) { totalCount } } }',
        { id: idOf('ada'), at: point },
      );
      return identity.access.totalCount;
    };
    expect(await access(at('readers'))).toBe(1);
    expect(await access(at('start'))).toBe(0);
  });

  test('of many identities are read once', async () => {
    const document =
      'query ($at: String!) { identities { nodes { access(at: $at) { totalCount } } } }';
    const { statements } = await controller.graph(document, { at: at('readers') });
    expect(statements).toBeLessThanOrEqual(3);
  });

  test('are lines on REST, all of them', async () => {
    const lines = await rest.text(`/accesses?at=${at('readers')}`, 'text/csv');
    expect(lines.split('\r\n').slice(1, -1)).toStrictEqual([
      `${idOf('ada')},ada,${idOf('wiki')},wiki,Dial`,
    ]);
  });
});

describe('an explanation of the past', () => {
  const EXPLAIN = `query ($i: ID!, $s: ID!, $at: String!) { access(identityId: $i, serviceId: $s, type: Dial, at: $at) {
    allowed obstacles paths { policyId policyName postureChecks { postureCheckName typeId verdicts { isPassing } } }
    nearestMisses { nodes { policyName changes } } } }`;
  const explain = (point: string) =>
    controller.read(EXPLAIN, { i: idOf('ada'), s: idOf('wiki'), at: point });

  test('names the policies and checks that granted it, though all are gone', async () => {
    expect(await explain(at('readers'))).toStrictEqual({
      access: {
        allowed: true,
        obstacles: ['NO_COMMON_ROUTER'],
        paths: [
          {
            policyId: idOf('readers'),
            policyName: 'readers',
            postureChecks: [{ postureCheckName: 'domain', typeId: 'DOMAIN', verdicts: [] }],
          },
        ],
        nearestMisses: { nodes: [] },
      },
    });
  });

  test('knows the type of a check although the log tells of its end without it', async () => {
    const id = idOf('domain');
    const origin = originOfController(new Date(clock));
    // As the integrity check tells of a row that is gone without a trace.
    await controller.parts.store.write(origin, (tx) => {
      const gone = { resource: 'PostureCheck', id, revision: 9, before: { id }, after: null };
      tx.record({ ...gone, operation: 'delete' });
      return Promise.resolve();
    });
    expect(await explain(at('readers'))).toMatchObject({
      access: { paths: [{ postureChecks: [{ typeId: 'DOMAIN' }] }] },
    });
  });

  test('says what was in the way', async () => {
    expect(await explain(at('ada left'))).toMatchObject({
      access: {
        allowed: false,
        obstacles: ['NO_POLICY', 'NO_COMMON_ROUTER'],
        nearestMisses: { nodes: [{ policyName: 'readers', changes: 1 }] },
      },
    });
  });

  test('knows nobody who was not there', async () => {
    const variables = { i: idOf('ada'), s: idOf('wiki'), at: at('end') };
    expect(await refusal(EXPLAIN, variables)).toStrictEqual(['NOT_FOUND', undefined]);
  });
});

test('findings of the past leave out what policies do not say', async () => {
  const { findings } = await controller.read<{ findings: { nodes: Row[] } }>(
    'query ($at: String!) { findings(at: $at) { nodes { kind entities { id: entityId name } } } }',
    { at: at('ada left') },
  );
  expect(findings.nodes).toContainEqual({
    kind: 'SERVICE_NOBODY_DIALS',
    entities: [{ id: idOf('wiki'), name: 'wiki' }],
  });
  const kinds = findings.nodes.map(({ kind }) => kind);
  expect(kinds).not.toContain('SERVICE_NOBODY_HOSTS');
  expect(kinds).not.toContain('ADMIN_WITHOUT_SECOND_FACTOR');
});

const DIFF = `query ($from: String!, $to: String) { accessDiff(from: $from, to: $to) {
  gained(first: 500) { totalCount nodes { identityId serviceId type identityName serviceName } }
  lost(first: 500) { totalCount nodes { identityId serviceId type identityName serviceName } }
  proveNoNewAccess { holds } violations { ruleId } endedSessions { totalCount }
  findings { appeared { kind entities { name } } vanished { kind } } } }`;

interface Diff {
  readonly gained: Listed;
  readonly lost: Listed;
}

const diff = async (from: string, to?: string): Promise<Diff> =>
  (await controller.read<{ accessDiff: Diff }>(DIFF, { from, to })).accessDiff;

describe('the difference of two points', () => {
  test('is what was gained, by the names of the later one', async () => {
    expect(await diff(at('people'), at('readers'))).toMatchObject({
      gained: { totalCount: 1, nodes: [{ identityName: 'ada', serviceName: 'wiki' }] },
      lost: { totalCount: 0 },
      proveNoNewAccess: { holds: false },
      violations: null,
      endedSessions: null,
      findings: { vanished: expect.arrayContaining([{ kind: 'SERVICE_NOBODY_DIALS' }]) },
    });
  });

  test('is what was lost, by the names of the earlier one, until now by default', async () => {
    const expected = {
      gained: { totalCount: 0 },
      lost: { totalCount: 1, nodes: [{ identityName: 'ada', serviceName: 'wiki' }] },
    };
    expect(await diff(at('readers'), at('end'))).toMatchObject(expected);
    expect(await diff(at('readers'))).toMatchObject(expected);
  });

  test('is given by REST', async () => {
    const { status, body } = await rest.get(
      `/access-diff?from=${at('people')}&to=${at('readers')}`,
    );
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      gained: { totalCount: 1, nodes: [{ identity: { name: 'ada' }, service: { name: 'wiki' } }] },
      lost: { totalCount: 0 },
    });
    const { body: refused } = await rest.get('/access-diff');
    expect(refused.error).toMatchObject({ code: 'COULD_NOT_VALIDATE' });
  });
});

describe('a point', () => {
  const ACCESSES = 'query ($at: String!) { accesses(at: $at) { totalCount } }';

  test.each([
    ['nothing that names one', 'yesterday', 'COULD_NOT_VALIDATE', 'at'],
    ['a change to come', `0001${'f'.repeat(32)}`, 'HISTORY_NOT_KEPT', undefined],
    ['a change of another epoch', `0000${'f'.repeat(32)}`, 'HISTORY_NOT_KEPT', undefined],
  ])('is refused when it is %s', async (_, text, code, field) => {
    expect(await refusal(ACCESSES, { at: text })).toStrictEqual([code, field]);
  });

  test('of the past is read by who may read changes alone', async () => {
    const reader = ['identity', 'service', 'service-policy'].map((entity) => `${entity}.read`);
    const ctx = (...more: string[]) => controller.ctx(callerOf(idOf('ada'), ...reader, ...more));
    const variables = { at: at('readers') };
    expect(await refusal(ACCESSES, variables, ctx())).toStrictEqual(['UNAUTHORIZED', undefined]);
    const allowed = [undefined, undefined];
    expect(await refusal(ACCESSES, variables, ctx('change.read'))).toStrictEqual(allowed);
    expect(await refusal(ACCESSES, { at: '2999-01-01' }, ctx())).toStrictEqual(allowed);
  });
});

test('a later state that lies earlier in the log is the one that counts', async () => {
  await person('third');
  await make('ServicePolicy', 'third', {
    type: 'Bind',
    semantic: 'AnyOf',
    identityRoles: [`@${idOf('third')}`],
    serviceRoles: ['#third'],
  });
  await make('Service', 'contended', { encryptionRequired: true, roleAttributes: ['first'] });
  await updateAgainstOrder(controller, idOf('contended'), 'second', 'third');
  await settledChange(controller);
  const log = await controller.parts.store.query(
    sql<{
      id: string;
      revision: number;
    }>`select id, revision from change where entity_id = ${idOf('contended')}::text order by id`,
  );
  expect(log.map(({ revision }) => revision)).toStrictEqual([1, 3, 2]);
  const counts: number[] = [];
  for (const { id } of log) counts.push((await pairsAt(controller, id)).length);
  expect(counts).toStrictEqual([0, 1, 1]);
  await controller.read('mutation ($id: ID!) { deleteService(id: $id) }', {
    id: idOf('contended'),
  });
});

describe('after any sequence of writes', () => {
  const history: Moment[] = [];

  test('every point is what it was, and every difference that of the pairs', async () => {
    const writer = new Writer(controller);
    await fc.assert(
      fc.asyncProperty(randomWrites(8), fc.infiniteStream(fc.nat()), async (writes, numbers) => {
        const begin = history.length;
        for (const write of writes) {
          await writer.make(write);
          history.push(await momentOf(controller));
        }
        const any = (): Moment =>
          history[Number(numbers.next().value) % history.length] ?? { id: '', pairs: [] };
        for (const moment of [...history.slice(begin), any(), any()]) {
          expect(await pairsAt(controller, moment.id)).toStrictEqual(moment.pairs);
        }
        const one = any();
        expect(await pairsAt(asleep, one.id)).toStrictEqual(one.pairs);
        for (const [from, to] of [
          [any(), any()],
          [any(), any()],
        ] as const) {
          const found = await diff(from.id, to.id);
          const shown = ({ nodes }: Listed): unknown =>
            nodes.map(({ identityId, serviceId, type }) => [identityId, serviceId, type]);
          expect(shown(found.gained)).toStrictEqual(without(to.pairs, from.pairs));
          expect(shown(found.lost)).toStrictEqual(without(from.pairs, to.pairs));
          expect(found.gained.totalCount).toBe(found.gained.nodes.length);
        }
      }),
      costlyRuns(8),
    );
    expect(history.some(({ pairs }) => pairs.length > 5)).toBe(true);
  });

  test('a write does what was simulated', async () => {
    await person('simulated', 'simulated');
    await make('Service', 'simulated', { encryptionRequired: true });
    const before = await momentOf(controller);
    const change = {
      operation: 'create',
      type: 'servicePolicy',
      input: {
        name: 'all',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#a', '#simulated'],
        serviceRoles: ['#all'],
      },
    };
    const PAIRS = '{ totalCount nodes { identityId serviceId type } }';
    const { simulate } = await controller.read<{ simulate: Diff }>(
      `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) { gained(first: 500) ${PAIRS} lost(first: 500) ${PAIRS} } }`,
      { changes: [change] },
    );
    await controller.create('ServicePolicy', change.input);
    const after = await momentOf(controller);
    const { accessDiff } = await controller.read<{ accessDiff: Diff }>(
      `query ($from: String!, $to: String) { accessDiff(from: $from, to: $to) { gained(first: 500) ${PAIRS} lost(first: 500) ${PAIRS} } }`,
      { from: before.id, to: after.id },
    );
    expect(accessDiff).toStrictEqual(simulate);
    expect(simulate.gained.totalCount).toBe(without(after.pairs, before.pairs).length);
  });

  test('what was pruned is no point any more, the last that was pruned still is', async () => {
    const [gone, kept] = [history.at(-3), history.at(-2)];
    await pruneUpTo(controller, kept?.id ?? '');
    expect(await pairsAt(controller, kept?.id ?? '')).toStrictEqual(kept?.pairs);
    const ACCESSES = 'query ($at: String!) { accesses(at: $at) { totalCount } }';
    for (const text of [gone?.id, points.get('end')?.time]) {
      expect(await refusal(ACCESSES, { at: text })).toStrictEqual(['HISTORY_NOT_KEPT', undefined]);
    }
  });
});
