import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
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
      'identityId,identity,serviceId,service,type,policyIds,policies,lastUsedAt,decision,comment,decidedById,decidedBy,decidedAt',
      `${line.identityId},'=cmd|1,${line.serviceId},"a ""b"", c",Dial,${ids},${policies},,REVOKE,"'-1, ""no""",${String(line.decidedById)},${line.decidedByName ?? ''},${String(line.decidedAt)}`,
      '',
    ]);
    expect(await rest.lines(`/access-reviews/${id}/lines`, () => Promise.resolve())).toEqual([
      line,
    ]);
  });
});
