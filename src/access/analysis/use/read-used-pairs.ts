import { readSlices } from '../../../base/read-slices.js';
import { usedAccess, type UsedServices } from '../../../data/rows/access-use/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { AccessModel } from '../model/access-model.js';
import type { Analyst } from '../history/analyst.js';
import { eachSliced } from '../../../base/slices.js';
import { UsedPairs } from './used-pairs.js';

/** Identities of one statement. */
const SLICE = 500;
const SEPARATOR = ' ';

/** Reads which access was used since a time, or is in use at this moment. */
export async function readUsedPairs(
  { store, now }: Pick<RequestContext, 'store' | 'now'>,
  analyst: Pick<Analyst, 'run'>,
  model: AccessModel,
  since: Date,
): Promise<UsedPairs> {
  const used = new UsedPairs(model);
  const addAll = (rows: readonly UsedServices[]): Promise<void> =>
    analyst.run(
      eachSliced(rows, 16, ({ identityId, dialed, hosted }) => {
        if (dialed !== null) used.add(identityId, dialed.split(SEPARATOR), 'Dial');
        if (hosted !== null) used.add(identityId, hosted.split(SEPARATOR), 'Bind');
      }),
    );
  const slices = readSlices<UsedServices>(SLICE, (last) =>
    usedAccess.nextSince(store, since, { after: last?.identityId ?? '', limit: SLICE }),
  );
  for await (const rows of slices) await addAll(rows);
  await addAll(await usedAccess.present(store, now()));
  return used;
}
