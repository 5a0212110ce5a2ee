import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import type { Row } from '../../src/base/row.js';
import { refuseTooMuch, weigh } from '../../src/graph/documents/limits.js';
import { declaredCost } from '../../src/kernel/graph/pace.js';
import { InProcessRest } from '../support/in-process.js';
import { ReviewNetwork, type Line } from './review-network.js';

/** Reviews on REST: begin, decide, finish, and their lines as pages, CSV and lines of JSON. */

let network: ReviewNetwork;
let rest: InProcessRest;
const idOf = (name: string): string => network.names.idOf(name);

beforeAll(async () => {
  network = await ReviewNetwork.start();
  rest = await InProcessRest.listen(network.controller, await network.controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await network.controller.stop();
});

async function begun(input: Row): Promise<string> {
  const { status, body } = await rest.send('POST', '/access-reviews', {
    name: network.newName(),
    ...input,
  });
  expect(status).toBe(201);
  return (body.data as { id: string }).id;
}

test('a document begins two reviews at most', () => {
  const admit = (count: number): void => {
    const reviews = Array.from({ length: count }, (_, i) => {
      const lines = 'lines(first: 500) { nodes { identityName serviceName } }';
      return `r${String(i)}: startAccessReview(name: "${String(i)}") { id ${lines} }`;
    });
    const document = parse(`mutation { ${reviews.join(' ')} }`);
    const weight = weigh(document, {});
    const cost = weight.cost + declaredCost(network.controller.schema, document);
    refuseTooMuch({ ...weight, cost });
  };
  admit(2);
  expect(() => {
    admit(3);
  }).toThrow(expect.objectContaining({ code: 'QUERY_TOO_COMPLEX' }));
});

test('a review is begun, decided and finished', async () => {
  const id = await begun({
    type: 'Dial',
    description: 'what eve dials',
    tags: { quarter: 4 },
    identityFilter: `name = "eve"`,
  });
  const { body } = await rest.get(`/access-reviews/${id}/lines`);
  const lines = body.data as Line[];
  expect(lines.map(({ serviceName }) => serviceName).sort()).toEqual(['mail', 'vault', 'wiki']);
  const decisions = lines.map(({ identityId, serviceId, type, serviceName }) => ({
    identityId,
    serviceId,
    type,
    decision: serviceName === 'vault' ? 'REVOKE' : 'KEEP',
    comment: `about ${serviceName}`,
  }));
  const early = await rest.send('POST', `/access-reviews/${id}/finish`, {});
  expect([early.status, early.body.error.code]).toEqual([400, 'ENTITY_CAN_NOT_BE_UPDATED']);
  const decided = await rest.send('POST', `/access-reviews/${id}/decisions`, { decisions });
  expect([decided.status, decided.body.data]).toEqual([200, {}]);
  const finished = await rest.send('POST', `/access-reviews/${id}/finish`, {});
  expect([finished.status, finished.body.data]).toEqual([200, {}]);
  const review = (await rest.get(`/access-reviews/${id}`)).body.data as Row;
  expect(review).toMatchObject({
    id,
    description: 'what eve dials',
    tags: { quarter: 4 },
    type: 'Dial',
    identityFilter: 'name = "eve"',
    state: 'FINISHED',
    lineCount: 3,
    undecidedCount: 0,
    keepCount: 2,
    revokeCount: 1,
    finishedById: await network.controller.defaultAdminId(),
  });
  const filter = encodeURIComponent('state = "FINISHED" and revokeCount > 0');
  const listed = (await rest.get(`/access-reviews?filter=${filter}`)).body.data as Row[];
  expect(listed.map((one) => one.id)).toEqual([id]);
  for (const [method, path, input] of [
    ['PATCH', '', { name: 'another' }],
    ['POST', '/decisions', { decisions: decisions.slice(0, 1) }],
    ['POST', '/finish', {}],
  ] as const) {
    const { status } = await rest.send(method, `/access-reviews/${id}${path}`, input);
    expect([path, status]).toEqual([path, 400]);
  }
  expect((await rest.send('DELETE', `/access-reviews/${id}`)).status).toBe(200);
  expect((await rest.get(`/access-reviews/${id}/lines`)).status).toBe(404);
});

describe('the lines', () => {
  test('come in pages and narrowed', async () => {
    const id = await begun({ type: 'Dial' });
    const all = await network.lines(id);
    const page = await rest.get(`/access-reviews/${id}/lines?limit=5&offset=2`);
    expect(page.body.meta.pagination).toEqual({ limit: 5, offset: 2, totalCount: all.length });
    expect(page.body.data).toEqual(all.slice(2, 7));
    await network.decide(id, [network.about('guest', 'vault', 'REVOKE')]);
    const revoked = await rest.get(`/access-reviews/${id}/lines?decision=REVOKE`);
    expect((revoked.body.data as Line[]).map(({ serviceName }) => serviceName)).toEqual(['vault']);
    const query = `identityId=${idOf('guest')}&serviceId=${idOf('mail')}`;
    const guests = await rest.get(`/access-reviews/${id}/lines?${query}`);
    expect(guests.body.data).toHaveLength(1);
  });

  test.each(['decision=MAYBE', 'limit=x', 'identityId=a%00'])('refuse %s', async (query) => {
    const id = await begun({ type: 'Bind' });
    expect((await rest.get(`/access-reviews/${id}/lines?${query}`)).status).toBe(400);
  });

  test('come as CSV, in which no cell is a formula, and as lines of JSON', async () => {
    const { names } = network;
    await names.person('=cmd|1', 'formulas');
    await names.make('Service', 'a "b", c', { encryptionRequired: true });
    await names.policy('first; p', ['#formulas'], [`@${idOf('a "b", c')}`]);
    await names.policy('second', ['#formulas'], [`@${idOf('a "b", c')}`]);
    const id = await begun({ identityFilter: `id = "${idOf('=cmd|1')}"` });
    const about = network.about('=cmd|1', 'a "b", c', 'REVOKE', { comment: '-1, "no"' });
    expect(await network.decide(id, [about])).toBe('done');
    const [line] = await network.lines(id);
    if (!line) throw new Error('no line');
    const csv = await rest.text(`/access-reviews/${id}/lines?limit=-1`, 'text/csv');
    const ids = line.policies.map(({ policyId }) => policyId).join(' ');
    const policies = line.policies.map(({ policyName }) => policyName).join('; ');
    expect(csv.split('\r\n')).toEqual([
      'identityId,identity,serviceId,service,type,policyIds,policies,lastUsedAt,decision,comment,decidedById,decidedBy,decidedAt,assignmentsUntil',
      `${line.identityId},'=cmd|1,${line.serviceId},"a ""b"", c",Dial,${ids},${policies},,REVOKE,"'-1, ""no""",${String(line.decidedById)},${line.decidedByName ?? ''},${String(line.decidedAt)},`,
      '',
    ]);
    expect(await rest.lines(`/access-reviews/${id}/lines`, () => Promise.resolve())).toEqual([
      line,
    ]);
  });
});

describe('revocation', () => {
  const REVOCATION = `revokedCount grantedCount changes { operation type entityId input } gained lost warning
    collateral { totalCount nodes { identityName serviceName type lastUsedAt } }
    remaining { totalCount nodes { identityName serviceName type policies { policyName } } }`;

  interface Revocation {
    readonly changes: readonly Row[];
    readonly warning: string | null;
    readonly collateral: { totalCount: number; nodes: Row[] };
    readonly remaining: { totalCount: number; nodes: Row[] };
  }

  const revocationOf = async (id: string): Promise<Revocation> => {
    const { accessReview } = await network.controller.read<{
      accessReview: { revocation: Revocation };
    }>(`query ($id: ID!) { accessReview(id: $id) { revocation { ${REVOCATION} } } }`, { id });
    return accessReview.revocation;
  };

  const simulated = async ({
    changes,
  }: Revocation): Promise<[gained: string[], lost: string[]]> => {
    const pairs = '{ nodes { identityName serviceName type } }';
    const { simulate } = await network.controller.read<{
      simulate: Record<'gained' | 'lost', { nodes: Record<string, string>[] }>;
    }>(
      `query ($c: [ModelChangeInput!]!) { simulate(changes: $c) { gained(first: 500) ${pairs} lost(first: 500) ${pairs} } }`,
      { c: changes.map(({ entityId, ...change }) => ({ ...change, id: entityId })) },
    );
    const titles = (side: 'gained' | 'lost') =>
      simulate[side].nodes.map((node) => Object.values(node).join(' ')).sort();
    return [titles('gained'), titles('lost')];
  };

  const revoking = async (...lines: readonly [string, string][]): Promise<string> => {
    const id = await network.review({ type: 'Dial' });
    const decisions = lines.map(([who, what]) => network.about(who, what, 'REVOKE'));
    expect(await network.decide(id, decisions)).toBe('done');
    return id;
  };

  test('is what simulate shows to take away exactly the revoked lines', async () => {
    const id = await revoking(['eve', 'wiki'], ['eve', 'mail'], ['eve', 'vault']);
    const revocation = await revocationOf(id);
    expect(revocation).toMatchObject({
      revokedCount: 3,
      grantedCount: 3,
      gained: 0,
      lost: 3,
      warning: null,
      collateral: { totalCount: 0, nodes: [] },
      remaining: { totalCount: 0, nodes: [] },
    });
    expect(revocation.changes.map(({ entityId }) => entityId).sort()).toEqual(
      [idOf('staff reads'), idOf('eve opens')].sort(),
    );
    expect(await simulated(revocation)).toEqual([
      [],
      ['eve mail Dial', 'eve vault Dial', 'eve wiki Dial'],
    ]);
  });

  test('warns of pairs that go with them', async () => {
    // Two of four people lose one of the two services: neither rows nor the column are exact.
    const revocation = await revocationOf(await revoking(['ada', 'wiki'], ['bob', 'wiki']));
    const [gained, lost] = await simulated(revocation);
    expect(gained).toEqual([]);
    const collateral = lost.filter((pair) => !['ada wiki Dial', 'bob wiki Dial'].includes(pair));
    expect(collateral.length).toBe(lost.length - 2);
    // The column would take eve's wiki, which another policy grants, and that of one more person.
    expect(collateral).toEqual(['Zoë "the" \\ O\'Neill wiki Dial']);
    expect(revocation.collateral).toMatchObject({
      totalCount: 1,
      nodes: [{ identityName: 'Zoë "the" \\ O\'Neill', serviceName: 'wiki', type: 'Dial' }],
    });
    expect(revocation.warning).toMatch(/^1 pair would lose access without being revoked/);
  });

  test('names the policies that keep what remains', async () => {
    const { names } = network;
    await names.make('Service', 'canteen', { encryptionRequired: true, roleAttributes: ['free'] });
    await names.make('Service', 'menu', { encryptionRequired: true, roleAttributes: ['free'] });
    await names.policy('for all', ['#all'], ['#all']);
    const id = await revoking(['bob', 'canteen']);
    const revocation = await revocationOf(id);
    expect(revocation).toMatchObject({
      grantedCount: 1,
      changes: [],
      lost: 0,
      remaining: {
        totalCount: 1,
        nodes: [
          {
            identityName: 'bob',
            serviceName: 'canteen',
            type: 'Dial',
            policies: [{ policyName: 'for all' }],
          },
        ],
      },
      collateral: { totalCount: 0 },
      warning: expect.stringMatching(/^1 of 1 revoked pairs keep their access/),
    });
    await network.controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', {
      id: idOf('for all'),
    });
    expect(await revocationOf(id)).toMatchObject({
      revokedCount: 1,
      grantedCount: 0,
      changes: [],
      warning: null,
    });
  });

  test('is on REST, in the form that simulate takes', async () => {
    const id = await revoking(['eve', 'vault']);
    const { status, body } = await rest.get(`/access-reviews/${id}/revocation`);
    expect(status).toBe(200);
    const { changes, collateral } = body.data as {
      changes: Row[];
      collateral: { totalCount: number; nodes: Row[] };
    };
    expect(changes.map((change) => change.id)).toEqual([idOf('eve opens')]);
    const simulation = await rest.send('POST', '/simulate', { changes });
    expect(simulation.body.data).toMatchObject({
      gained: { totalCount: 0 },
      lost: { totalCount: 1 + collateral.totalCount },
    });
    expect((await rest.get('/access-reviews/nobody/revocation')).status).toBe(404);
  });

  test('is computed for at most three reviews of a document', async () => {
    const ids = [
      await network.reviewOf('ada'),
      await network.reviewOf('ada'),
      await network.reviewOf('ada'),
      await network.reviewOf('ada'),
    ];
    const text = (some: readonly string[]): string =>
      `{ ${some.map((id, i) => `a${String(i)}: accessReview(id: "${id}") { revocation { lost } }`).join(' ')} }`;
    expect(await network.attempt(text([...ids.slice(0, 3), ...ids.slice(0, 2)]), {})).toBe('done');
    expect(await network.attempt(text(ids), {})).toMatchObject({ code: 'QUERY_TOO_COMPLEX' });
  });
});
