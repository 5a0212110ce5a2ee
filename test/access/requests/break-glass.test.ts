import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { removeSettledRequests } from '../../../src/access/requests/index.js';
import { logEmergencyUses } from '../../../src/programs/controller/log-emergency-uses.js';
import { ADMIN, type GraphAnswer } from '../../support/in-process.js';
import { codes, shown } from '../assignments/assigned.js';
import { Requested, requestIn } from './requested.js';

/** Access offers for emergencies: granted at once, and not to be overlooked. */

let requested: Requested;
let ada: string;
let offerId: string;

beforeAll(async () => {
  requested = await Requested.start();
  offerId = await requested.offer({ name: 'fire', approval: 'BREAK_GLASS', maxActive: 10 });
});
afterAll(() => requested.controller.stop());
beforeEach(async () => {
  ada = await requested.person();
});

interface EmergencyFinding {
  readonly findingId: string;
  readonly severity: string;
  readonly about: string;
  readonly entities: readonly { readonly entityId: string }[];
}

async function findingsAbout(requestId: string): Promise<readonly EmergencyFinding[]> {
  const { findings } = await requested.controller.read<{
    findings: { nodes: readonly EmergencyFinding[] };
  }>(
    `{ findings(kinds: [BREAK_GLASS_USED], limit: 500) {
      nodes { findingId severity about entities { entityId } } } }`,
  );
  return findings.nodes.filter(({ about }) => about === requestId);
}

const review = (id: string, by: string | typeof ADMIN): Promise<GraphAnswer> =>
  requested.controller.graph(
    `mutation ($id: ID!, $comment: String) {
      request: reviewAccessRequest(id: $id, comment: $comment) { state reviewedById comment } }`,
    { id, comment: 'the fire was real' },
    requested.ctx(by),
  );

describe('the use of an offer for emergencies', () => {
  test('is granted at once', async () => {
    expect(requestIn(await requested.ask(ada, offerId)).state).toBe('GRANTED');
    const { effectiveRoleAttributes } = await shown(requested.controller, ada);
    expect(effectiveRoleAttributes).toContain('on-call');
  });

  test('is a finding of its own until an administrator has reviewed it', async () => {
    const [first, second] = [
      await requested.asked(ada, offerId),
      await requested.asked(ada, offerId),
    ];
    const findings = [...(await findingsAbout(first)), ...(await findingsAbout(second))];
    expect(findings).toMatchObject([
      { severity: 'HIGH', entities: [{ entityId: ada }] },
      { severity: 'HIGH', entities: [{ entityId: ada }] },
    ]);
    expect(findings[0]?.findingId).not.toBe(findings[1]?.findingId);
    await requested.decide('revoke', ada, first);
    expect(await findingsAbout(first)).toHaveLength(1);
    expect(requestIn(await review(first, ADMIN))).toMatchObject({
      state: 'REVOKED',
      reviewedById: ADMIN.identityId,
      comment: 'the fire was real',
    });
    expect(await findingsAbout(first)).toStrictEqual([]);
    expect(await findingsAbout(second)).toHaveLength(1);
  });

  test('is reviewed by administrators alone, once, and never by the one who used it', async () => {
    const id = await requested.asked(ada, offerId);
    const lead = await requested.person('lead');
    for (const by of [ada, lead]) {
      expect(codes(await review(id, by))).toStrictEqual(['UNAUTHORIZED']);
    }
    const adminAda = { ...ADMIN, identityId: ada };
    expect(
      codes(
        await requested.controller.graph(
          'mutation ($id: ID!) { reviewAccessRequest(id: $id) { id } }',
          { id },
          requested.controller.ctx(adminAda),
        ),
      ),
    ).toStrictEqual(['UNAUTHORIZED']);
    expect(codes(await review(id, ADMIN))).toStrictEqual([]);
    expect(codes(await review(id, ADMIN))).toStrictEqual(['ENTITY_CAN_NOT_BE_UPDATED']);
    const ordinary = await requested.asked(ada, await requested.offer({ approval: 'NONE' }));
    expect(codes(await review(ordinary, ADMIN))).toStrictEqual(['ENTITY_CAN_NOT_BE_UPDATED']);
  });

  test('is not removed before its review', async () => {
    const id = await requested.asked(ada, offerId);
    await requested.decide('revoke', ada, id);
    const remove = (): Promise<void> =>
      removeSettledRequests(requested.controller.anonymous(), -24 * 3_600_000);
    await remove();
    expect(await requested.request(id)).toMatchObject({ state: 'REVOKED' });
    await review(id, ADMIN);
    await remove();
    await expect(requested.request(id)).rejects.toThrow('not found');
  });

  test('is logged with who, what and why; other requests are not', async () => {
    const lines: object[] = [];
    requested.controller.parts.store.onChange(
      logEmergencyUses({ warn: (line: object) => lines.push(line) } as never),
    );
    const id = await requested.asked(ada, offerId, { reason: 'it burns' });
    await requested.asked(ada, await requested.offer({ approval: 'NONE' }));
    expect(lines).toStrictEqual([
      { accessRequest: id, identity: ada, offer: 'fire', reason: 'it burns' },
    ]);
  });
});
