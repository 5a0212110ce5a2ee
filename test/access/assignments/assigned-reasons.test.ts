import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import type { InProcess } from '../../support/in-process.js';
import { settledChange } from '../../support/settled-change.js';
import { inHours, moveDue, passHours } from './assigned.js';
import { Boards } from './boards.js';

/** The reasons for access that role assignments give. */

let boards: Boards;
let controller: InProcess;
let ada: string;

beforeAll(async () => {
  boards = await Boards.start();
  ({ controller } = boards);
});
afterAll(() => controller.stop());
beforeEach(async () => {
  ada = await newIdentity();
});

const newIdentity = (input: Row = {}): Promise<string> => boards.newIdentity(input);
const onCall = (input: Row = {}): Promise<string> => boards.onCall(ada, input);

describe('the answer to why', () => {
  const why = (service: string, at?: string): Promise<Record<string, never>> =>
    controller.read(
      `query ($identity: ID!, $service: ID!, $at: String) {
        access(identityId: $identity, serviceId: $service, type: Dial, at: $at) {
          allowed assignments { roleAttribute source activeUntil }
          nearestMisses { nodes { identitySide { remedies { kind change { input } } } } } } }`,
      { identity: ada, service, at: at ?? null },
    );
  test('names the assignments by which a policy selects the identity, until when, and their source', async () => {
    const activeUntil = inHours(1);
    await onCall({ activeUntil });
    expect(await why(boards.boards.get('on-call') ?? '')).toMatchObject({
      access: {
        allowed: true,
        assignments: [{ roleAttribute: 'on-call', source: 'hand', activeUntil }],
      },
    });
    expect(await why(boards.boards.get('desk') ?? '')).toMatchObject({
      access: { allowed: true, assignments: [] },
    });
  });

  test('proposes no write by hand of what an assignment gives', async () => {
    ada = await newIdentity({ roleAttributes: ['night'] });
    await onCall();
    const { access } = (await why(boards.boards.get('desk') ?? '')) as Record<string, Row>;
    expect(JSON.stringify(access)).toContain('{"roleAttributes":["desk","night"]}');
    expect(JSON.stringify(access)).not.toContain('"on-call"');
  });

  test('counts assignments of the past', async () => {
    const service = boards.boards.get('on-call') ?? '';
    const id = await onCall({ activeUntil: inHours(1) });
    const at = await settledChange(controller);
    await passHours(controller, 2, id);
    await moveDue(controller);
    await settledChange(controller);
    expect(await why(service)).toMatchObject({ access: { allowed: false } });
    expect(await why(service, at)).toMatchObject({ access: { allowed: true, assignments: [] } });
  });
});
