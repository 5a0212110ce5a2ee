import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MIN_NODES, MAX_NODES } from '../../src/access/analysis/index.js';
import { randomWrites, Writer } from '../data/changes/random-writes.js';
import { InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';
import { readMap, type ShownMap } from './shown-map.js';
import { costlyRuns } from '../support/runs.js';

/** The map of the policies in the past. */

let controller: InProcess;
const { idOf, make, person, policy } = new NamedEntities(() => controller);

beforeAll(async () => {
  controller = await InProcess.start();
  await person('ada', 'staff');
  await person('eve');
  await make('Service', 'wiki', { encryptionRequired: true, roleAttributes: ['docs'] });
  await policy('staff reads', ['#staff'], ['#docs']);
});
afterAll(() => controller.stop());

test('the map at a point in the past is the one that was there then', async () => {
  const writer = new Writer(controller);
  const eve = idOf('eve');
  // With more policies than the least number of nodes, such a map is merged.
  for (let i = 0; i < MIN_NODES; i += 1) await policy(`p${String(i)}`, [`#p${String(i)}`], []);
  const moments: { readonly id: string; readonly most: string; readonly map: ShownMap }[] = [];
  await fc.assert(
    fc.asyncProperty(randomWrites(14), fc.nat(), async (writes, number) => {
      for (const write of writes) await writer.make(write);
      const most = String(moments.length % 2 === 0 ? MAX_NODES : MIN_NODES);
      const map = await readMap(controller, `(maxNodes: ${most})`, {});
      expect(map.isMerged).toBe(most === String(MIN_NODES));
      moments.push({ most, map, id: await settledChange(controller) });
      const input = `{ name: "renamed ${String(moments.length)}" }`;
      await controller.read(`mutation { updateIdentity(id: "${eve}", input: ${input}) { id } }`);
      for (const moment of [moments.at(-1), moments[number % moments.length]]) {
        const past = `(maxNodes: ${String(moment?.most)}, at: "${String(moment?.id)}")`;
        expect(await readMap(controller, past, {})).toEqual(moment?.map);
      }
    }),
    costlyRuns(5),
  );
});
