import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ADMIN, callerOf } from '../support/in-process.js';
import { ReviewNetwork, type Line } from './review-network.js';
import { at, STAFF, USES } from './unused-network.js';

/** Reviews of access: what they hold, and what remains of it. */

let network: ReviewNetwork;
const idOf = (name: string): string => network.names.idOf(name);

beforeAll(async () => {
  network = await ReviewNetwork.start();
});
afterAll(() => network.controller.stop());
beforeEach(async () => {
  await network.unused.begin();
  await network.unused.used(...USES);
});

const STAFF_READS = ['staff reads'];
const BOTH_STAFF = ['staff reads', 'eve opens'];
const BOTH_GUESTS = ['guests read', 'eve opens'];

/** Every granted pair of the network, with its policies, by hand. */
const GRANTED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    STAFF.flatMap((name) =>
      ['wiki', 'mail'].map((service) => [`${name} ${service} Dial`, STAFF_READS]),
    ),
  ),
  'eve wiki Dial': BOTH_STAFF,
  'eve vault Dial': ['eve opens'],
  'guest wiki Dial': BOTH_GUESTS,
  'guest mail Dial': ['guests read'],
  'guest vault Dial': ['eve opens'],
  'ada wiki Bind': ['ada hosts'],
};

const titleOf = ({ identityName, serviceName, type }: Line): string =>
  `${identityName} ${serviceName} ${type}`;

const titled = (lines: readonly Line[]): Record<string, Line> =>
  Object.fromEntries(lines.map((line) => [titleOf(line), line]));

const key = ({ identityId, serviceId, type }: Line): string =>
  [identityId, serviceId, type].join(' ');

describe('a review begins with', () => {
  test('every granted pair, each with all policies that grant it', async () => {
    const id = await network.review();
    const lines = await network.lines(id);
    expect(lines.map(titleOf).sort()).toEqual(Object.keys(GRANTED).sort());
    for (const line of lines) {
      const names = line.policies.map(({ policyName }) => policyName);
      expect([titleOf(line), names.sort()]).toEqual([
        titleOf(line),
        [...(GRANTED[titleOf(line)] ?? [])].sort(),
      ]);
      const ids = line.policies.map(({ policyId }) => policyId);
      expect(ids).toEqual([...ids].sort());
      for (const { policyId, policyName } of line.policies) expect(policyId).toBe(idOf(policyName));
      expect([line.identityId, line.serviceId]).toEqual([
        idOf(line.identityName),
        idOf(line.serviceName),
      ]);
    }
    expect(lines.map(key)).toEqual(lines.map(key).sort());
  });

  test('the last use of each pair', async () => {
    const by = titled(await network.lines(await network.review()));
    const used = Object.entries(by).flatMap(([title, { lastUsedAt }]) =>
      lastUsedAt === null ? [] : [[title, lastUsedAt]],
    );
    expect(Object.fromEntries(used)).toEqual(
      Object.fromEntries(
        USES.map(([identity, service, type, hour]) => [
          `${identity} ${service} ${type}`,
          at(hour).toISOString(),
        ]),
      ),
    );
  });

  test('no decision, and the time since when uses are recorded', async () => {
    const id = await network.review();
    expect(await network.of(id)).toMatchObject({
      state: 'OPEN',
      revision: 1,
      finishedAt: null,
      finishedById: null,
      usesRecordedSince: at(0).toISOString(),
      lineCount: 13,
      undecidedCount: 13,
      keepCount: 0,
      revokeCount: 0,
    });
    for (const line of await network.lines(id)) {
      expect(line).toMatchObject({
        decision: 'UNDECIDED',
        comment: null,
        decidedById: null,
        decidedByName: null,
        decidedAt: null,
      });
    }
  });

  test('the chosen part alone', async () => {
    const id = await network.review({
      type: 'Dial',
      identityFilter: 'name in ["ada", "eve"]',
      serviceFilter: 'anyOf(roleAttributes) = "docs"',
    });
    const lines = await network.lines(id);
    expect(lines.map(titleOf).sort()).toEqual([
      'ada mail Dial',
      'ada wiki Dial',
      'eve mail Dial',
      'eve wiki Dial',
    ]);
    const hosts = await network.lines(await network.review({ type: 'Bind' }));
    expect(hosts.map(titleOf)).toEqual(['ada wiki Bind']);
    expect(await network.lines(await network.review({ identityFilter: 'name = "none"' }))).toEqual(
      [],
    );
  });

  test('a name of its own and filters that are right', async () => {
    const name = network.newName();
    expect(await network.start({ name })).toBe('done');
    expect(await network.start({ name })).toMatchObject({
      code: 'COULD_NOT_VALIDATE',
      field: 'name',
    });
    expect(await network.start({ name: '' })).toMatchObject({
      code: 'COULD_NOT_VALIDATE',
      field: 'name',
    });
    expect(await network.start({ name: 'a\u0000' })).toMatchObject({ code: 'COULD_NOT_VALIDATE' });
    expect(await network.start({ identityFilter: 'name ~ 1' })).toMatchObject({
      code: 'INVALID_FILTER',
    });
    expect(await network.start({ serviceFilter: 'true limit 1' })).toMatchObject({
      field: 'serviceFilter',
    });
  });
});

describe('the lines of a review', () => {
  test('stay as they were when the network changes', async () => {
    const { names, controller } = network;
    await names.person('temp "x" \\ ü', 'temps');
    await names.make('Service', "temp's", { encryptionRequired: true, roleAttributes: ['temp'] });
    await names.policy('temps read', ['#temps'], ['#temp']);
    const id = await network.review({ identityFilter: `id = "${idOf('temp "x" \\ ü')}"` });
    const before = await network.lines(id);
    expect(before.map(titleOf)).toEqual(['temp "x" \\ ü temp\'s Dial']);
    expect(await network.decide(id, [network.about('temp "x" \\ ü', "temp's", 'KEEP')])).toBe(
      'done',
    );
    const decided = await network.lines(id);
    await controller.read(
      `mutation ($i: ID!, $s: ID!, $p: ID!) {
        updateService(id: $s, input: { name: "renamed" }) { id }
        deleteServicePolicy(id: $p) deleteIdentity(id: $i) }`,
      { i: idOf('temp "x" \\ ü'), s: idOf("temp's"), p: idOf('temps read') },
    );
    expect(await network.lines(id)).toEqual(decided);
    const { accessReviewLines } = await controller.read<{
      accessReviewLines: { nodes: unknown[] };
    }>(
      `query ($id: ID!) { accessReviewLines(id: $id) { nodes {
        identity { id } service { name } policies { policy { id } } decidedBy { id } } } }`,
      { id },
    );
    expect(accessReviewLines.nodes).toEqual([
      {
        identity: null,
        service: { name: 'renamed' },
        policies: [{ policy: null }],
        decidedBy: null,
      },
    ]);
  });

  test('come in pages, in order and without gaps', async () => {
    const id = await network.review();
    const all = await network.lines(id);
    const read: Line[] = [];
    for (let after = ''; ;) {
      const { accessReview } = await network.controller.read<{
        accessReview: {
          lines: {
            nodes: Line[];
            totalCount: number;
            pageInfo: { hasNextPage: boolean; endCursor: string };
          };
        };
      }>(
        `query ($id: ID!) { accessReview(id: $id) { lines(first: 4 ${after}) {
          nodes { identityId serviceId type } totalCount pageInfo { hasNextPage endCursor } } } }`,
        { id },
      );
      const { nodes, totalCount, pageInfo } = accessReview.lines;
      expect(totalCount).toBe(13);
      read.push(...nodes);
      if (!pageInfo.hasNextPage) break;
      after = `, after: "${pageInfo.endCursor}"`;
    }
    expect(read.map(key)).toEqual(all.map(key));
    expect((await network.lines(id, 'first: 2, offset: 3')).map(key)).toEqual(
      all.slice(3, 5).map(key),
    );
  });

  test('are narrowed by decision, identity and service', async () => {
    const id = await network.review();
    await network.decide(id, [
      network.about('ada', 'wiki', 'KEEP'),
      network.about('guest', 'vault', 'REVOKE'),
    ]);
    const titles = async (args: string): Promise<string[]> =>
      (await network.lines(id, args)).map(titleOf).sort();
    expect(await titles('decision: KEEP')).toEqual(['ada wiki Dial']);
    expect(await titles('decision: REVOKE')).toEqual(['guest vault Dial']);
    expect(await titles('decision: UNDECIDED, first: 100')).toHaveLength(11);
    expect(await titles(`identityId: "${idOf('guest')}", serviceId: "${idOf('mail')}"`)).toEqual([
      'guest mail Dial',
    ]);
    expect(await titles(`serviceId: "${idOf('wiki')}", decision: UNDECIDED`)).toEqual([
      'Zoë "the" \\ O\'Neill wiki Dial',
      'ada wiki Bind',
      'bob wiki Dial',
      'eve wiki Dial',
      'guest wiki Dial',
    ]);
  });

  test('of no review are refused, and cursors that are none', async () => {
    const text = (args: string): string => `{ accessReviewLines(${args}) { totalCount } }`;
    expect(await network.attempt(text('id: "nobody"'), {})).toMatchObject({ code: 'NOT_FOUND' });
    const id = await network.review();
    expect(await network.attempt(text(`id: "${id}", after: "x"`), {})).toMatchObject({
      code: 'COULD_NOT_VALIDATE',
    });
    expect(await network.attempt(text(`id: "${id}", limit: -1`), {})).toMatchObject({
      field: 'limit',
    });
    const withNul = `query ($id: ID!) { accessReviewLines(id: "${id}", identityId: $id) { totalCount } }`;
    expect(await network.attempt(withNul, { id: 'a\u0000' })).toMatchObject({
      code: 'COULD_NOT_VALIDATE',
    });
  });
});

describe('a caller', () => {
  const SHOWN = ['identity.read', 'service.read', 'service-policy.read', 'ops.read'];
  const as = (...permissions: string[]) =>
    network.controller.ctx({
      ...callerOf(idOf('eve'), ...permissions),
      apiSessionId: ADMIN.apiSessionId,
    });

  test.each(SHOWN)(
    'without %s gets no lines, decides nothing and begins nothing',
    async (missing) => {
      const id = await network.reviewOf('ada');
      const others = SHOWN.filter((permission) => permission !== missing);
      const ctx = as('access-review', ...others);
      const refused = { code: 'UNAUTHORIZED' };
      const text = `query ($id: ID!) { accessReviewLines(id: $id) { totalCount } }`;
      expect(await network.attempt(text, { id }, ctx)).toMatchObject(refused);
      const member = `query ($id: ID!) { accessReview(id: $id) { lines { totalCount } } }`;
      expect(await network.attempt(member, { id }, ctx)).toMatchObject(refused);
      expect(await network.start({}, ctx)).toMatchObject(refused);
      const decision = network.about('ada', 'wiki', 'KEEP');
      expect(await network.decide(id, [decision], ctx)).toMatchObject(refused);
      expect(await network.of(id)).toMatchObject({ undecidedCount: 2 });
    },
  );

  test.each([
    ['read', 'NO', 'NO', 'NO'],
    ['create', 'begin', 'NO', 'NO'],
    ['update', 'NO', 'decide', 'NO'],
    ['delete', 'NO', 'NO', 'delete'],
  ])('with access-review.%s may %s, %s, %s', async (action, begins, decides, deletes) => {
    const id = await network.reviewOf('bob');
    const ctx = as(`access-review.${action}`, ...SHOWN);
    const may = (outcome: unknown): boolean => outcome === 'done';
    expect(may(await network.start({ identityFilter: 'name = "none"' }, ctx))).toBe(
      begins !== 'NO',
    );
    const decision = network.about('bob', 'wiki', 'KEEP');
    expect(may(await network.decide(id, [decision], ctx))).toBe(decides !== 'NO');
    const text = 'mutation ($id: ID!) { deleteAccessReview(id: $id) }';
    expect(may(await network.attempt(text, { id }, ctx))).toBe(deletes !== 'NO');
  });
});
