import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InProcess } from '../../support/in-process.js';
import {
  draws,
  existingIn,
  listOf,
  OneByOne,
  stateOf,
  without,
  type State,
} from './random-drafts.js';
import {
  apply,
  idsOf,
  revert,
  succeeded,
  tryToApply,
  tryToSimulate,
  type Pairs,
} from './support.js';
import { costlyRuns } from '../../support/runs.js';

/**
 * Any list of changes: what `simulate` foretells is what `applyChanges` does, which is what the
 * mutations do one by one; and undoing it restores every attribute of every entity.
 */

let controller: InProcess;
let oneByOne: OneByOne;

beforeAll(async () => {
  controller = await InProcess.start();
  oneByOne = new OneByOne(await InProcess.start());
});
afterAll(async () => {
  await oneByOne.on.stop();
  await controller.stop();
});

const keysOf = ({ nodes, totalCount }: Pairs): string[] => {
  expect(nodes).toHaveLength(totalCount);
  return nodes.map(({ identityId, serviceId, type }) => `${identityId} ${type} ${serviceId}`);
};

const accesses = async (): Promise<string[]> =>
  keysOf(
    (
      await controller.read<{ accesses: Pairs }>(
        '{ accesses(first: 500) { totalCount nodes { identityId serviceId type } } }',
      )
    ).accesses,
  );

const missingIn = (others: readonly string[], all: readonly string[]): string[] =>
  all.filter((one) => !others.includes(one)).sort();

/** Undoes changes of the log, and gives the ids of the changes that this made. */
async function undo(ids: readonly string[]): Promise<string[]> {
  const { changes, ifRevisions, entities } = await revert(controller, ids);
  // A new router has a new one-time token; all else comes back.
  const obstacles = entities.flatMap(({ type, obstacles: found }) =>
    found.map(({ kind, text }) => [type, kind, text]),
  );
  expect(obstacles.filter(([type]) => type !== 'Enrollment')).toStrictEqual([]);
  return idsOf(await apply(controller, changes, { ifRevisions }));
}

/** Entities that were created again have a new time of creation. */
function expectSame(state: State, before: State, gone: ReadonlySet<string>): void {
  expect(without(state, 'created_at')).toStrictEqual(without(before, 'created_at'));
  for (const [key, row] of before) {
    if (!gone.has(key))
      expect([key, state.get(key)?.created_at]).toStrictEqual([key, row.created_at]);
  }
}

const goneIn = (state: State, before: State): string[] =>
  [...before.keys()].filter((key) => state.get(key)?.created_at !== before.get(key)?.created_at);

test('a list does what simulate foretells and what the mutations do, and can be undone', async () => {
  let round = 0;
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(draws(7), { minLength: 4, maxLength: 4 }), async (lists) => {
      for (const list of lists) {
        round += 1;
        const before = await stateOf(controller);
        const pairs = await accesses();
        const changes = listOf(list, existingIn(before), round);
        const foretold = await tryToSimulate(controller, changes);
        const outcome = await tryToApply(controller, changes);
        if ('error' in outcome) {
          expect(foretold).toStrictEqual(outcome);
          expect(await stateOf(controller)).toStrictEqual(before);
          continue;
        }
        applied += 1;
        const { gained, lost } = succeeded(foretold);
        const now = await accesses();
        expect(keysOf(gained).sort()).toStrictEqual(missingIn(pairs, now));
        expect(keysOf(lost).sort()).toStrictEqual(missingIn(now, pairs));
        const after = await stateOf(controller);
        await oneByOne.write(changes);
        expect(without(await stateOf(oneByOne.on, oneByOne.original), 'created_at')).toStrictEqual(
          without(await stateOf(controller, (id) => id), 'created_at'),
        );
        const gone = new Set(goneIn(after, before));
        const undone = await undo(idsOf(outcome.done));
        expectSame(await stateOf(controller), before, gone);
        expect(await accesses()).toStrictEqual(pairs);
        // Undoing the undoing.
        await undo(undone);
        expect(without(await stateOf(controller), 'created_at')).toStrictEqual(
          without(after, 'created_at'),
        );
        expect(await accesses()).toStrictEqual(now);
      }
    }),
    costlyRuns(5),
  );
  expect(applied).toBeGreaterThan(0);
});
