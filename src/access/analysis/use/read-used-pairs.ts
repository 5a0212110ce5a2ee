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
  for (let after = '', count = SLICE; count === SLICE;) {
    const rows = await usedAccess.nextSince(store, since, { after, limit: SLICE });
    await addAll(rows);
    count = rows.length;
    after = rows.at(-1)?.identityId ?? after;
  }
  await addAll(await usedAccess.present(store, now()));
  return used;
}
