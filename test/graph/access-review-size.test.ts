import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../src/base/sql.js';
import { InProcess } from '../support/in-process.js';

/** The largest review, and one that is larger. */

const PEOPLE = 400;
const SERVICES = 300;

let first: InProcess;
let controller: InProcess;

beforeAll(async () => {
  first = await InProcess.start();
  const { store } = first.parts;
  await store.query(
    sql`insert into identity (id, created_at, updated_at, name, type_id, auth_policy_id, role_attributes)
      select 'i' || n, now(), now(), 'person ' || n, t.id, 'default', '{crowd}'
      from generate_series(1, ${PEOPLE}::int) n, (select id from identity_type order by id limit 1) t`,
  );
  await store.query(
    sql`insert into service (id, created_at, updated_at, name, encryption_required, role_attributes)
      select 's' || n, now(), now(), 'service ' || n, true, '{crowd}' from generate_series(1, ${SERVICES}::int) n`,
  );
  // It reads the model at its start, and with it these rows.
  controller = await InProcess.start(first);
  await controller.create('ServicePolicy', {
    name: 'the crowd',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#crowd'],
    serviceRoles: ['#crowd'],
  });
});
afterAll(async () => {
  await controller.stop();
  await first.stop();
});

const START = `mutation ($name: String!, $filter: String) {
  startAccessReview(name: $name, serviceFilter: $filter) { id lineCount } }`;

describe('a review', () => {
  test('of more than 100,000 lines is refused, with their number', async () => {
    const { errors } = await controller.graph(START, { name: 'all' });
    expect(errors[0]).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      detail: { message: expect.stringMatching(/120000 lines.*100000.*serviceFilter/) },
    });
  });

  test('of 100,000 lines is stored, and its revocation computed', async () => {
    const ids = Array.from({ length: 250 }, (_, i) => `"s${String(i + 1)}"`);
    const filter = `id in [${ids.join(', ')}]`;
    const { startAccessReview } = await controller.read<{
      startAccessReview: { id: string; lineCount: number };
    }>(START, { name: 'the largest', filter });
    const { id, lineCount } = startAccessReview;
    expect(lineCount).toBe(PEOPLE * 250);
    const { store } = controller.parts;
    const [row] = await store.query(
      sql<{ lines: number; names: number }>`select count(*)::int as lines,
          (count(*) filter (where policies -> 0 ->> 'policyName' = 'the crowd'
            and identity_name = 'person ' || substr(identity_id, 2)))::int as names
        from access_review_line where review_id = ${id}::text`,
    );
    expect(row).toEqual({ lines: lineCount, names: lineCount });
    await store.query(
      sql`update access_review_line set decision = 'REVOKE' where review_id = ${id}::text`,
    );
    const { accessReview } = await controller.read<{ accessReview: { revocation: unknown } }>(
      `query ($id: ID!) { accessReview(id: $id) { revocation {
        revokedCount grantedCount lost warning changes { operation } remaining { totalCount } } } }`,
      { id },
    );
    expect(accessReview.revocation).toEqual({
      revokedCount: lineCount,
      grantedCount: lineCount,
      lost: lineCount,
      warning: null,
      // The other 50 services take the place of their role.
      changes: [{ operation: 'update' }],
      remaining: { totalCount: 0 },
    });
  });
});
