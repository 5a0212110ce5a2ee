import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { callerOf } from '../../support/in-process.js';
import { codes } from '../assignments/assigned.js';
import { newDirectory } from '../directories/new-directory.js';
import { Requested } from './requested.js';

/** Administrators write access offers, and those see them to whom they are made. */

let requested: Requested;
let ada: string;
let lead: string;

beforeAll(async () => {
  requested = await Requested.start();
});
afterAll(() => requested.controller.stop());
beforeEach(async () => {
  [ada, lead] = [await requested.person(), await requested.person('lead')];
});

describe('access offers', () => {
  test('only administrators write offers', async () => {
    const other = await requested.person();
    const callers = [
      callerOf(other),
      callerOf(other, 'admin_readonly'),
      callerOf(other, 'identity', 'service-policy'),
    ];
    const input = { name: 'for myself', roleAttribute: 'on-call', maxMinutes: 60 };
    for (const by of callers) {
      const answer = await requested.controller.graph(
        `mutation ($input: CreateAccessOfferInput!) { createAccessOffer(input: $input) { id } }`,
        { input: { ...input, requesterRoles: ['#all'], approval: 'NONE' } },
        requested.ctx(by),
      );
      expect(codes(answer)).toStrictEqual(['UNAUTHORIZED']);
    }
  });

  test('an offer gives no role attribute that belongs to a source', async () => {
    const { prefix } = await newDirectory(requested.controller);
    await expect(requested.offer({ roleAttribute: `${prefix}staff` })).rejects.toMatchObject({
      code: 'COULD_NOT_VALIDATE',
      detail: { field: 'roleAttribute' },
    });
    const offerId = await requested.offer();
    expect(
      codes(await requested.change(offerId, { roleAttribute: `${prefix}staff` })),
    ).toStrictEqual(['COULD_NOT_VALIDATE']);
  });

  test('a prefix that an offer uses does not become reserved', async () => {
    await requested.offer({ roleAttribute: 'taken:staff' });
    await expect(
      newDirectory(requested.controller, { roleAttributePrefix: 'taken:' }),
    ).rejects.toMatchObject({ code: 'COULD_NOT_VALIDATE' });
  });

  test('offers are shown to those who may ask, by id and by attributes of assignments, too', async () => {
    const byId = await requested.offer({ requesterRoles: [`@${ada}`] });
    const byAssigned = await requested.offer({ requesterRoles: ['#on-call'] });
    const offers = async (by: string): Promise<readonly string[]> => {
      const { accessOffers } = await requested.controller.read<{
        accessOffers: { nodes: readonly { id: string }[] };
      }>('{ accessOffers { nodes { id } } }', {}, requested.ctx(by));
      return accessOffers.nodes.map(({ id }) => id);
    };
    expect(await offers(ada)).toContain(byId);
    expect(await offers(ada)).not.toContain(byAssigned);
    await requested.boards.onCall(ada);
    expect(await offers(ada)).toContain(byAssigned);
    expect(await offers(lead)).not.toContain(byId);
  });
});
