import { AccessGained, AccessLost, type Grant } from '../emitted/operations.js';
import { Client } from './client.js';
import type { Run } from './command.js';
import { noticed, usageError } from './command-error.js';
import { connectionOf } from './controller-connection.js';
import { GRANT_HEAD, grantRow, pairs } from './grant-tables.js';
import { limitOf, readList, type List } from './read-pages.js';
import { counted } from './plain.js';
import { table } from './text-table.js';

type Difference = Readonly<Record<'gained' | 'lost', List<Grant>>>;

/** `overgraph diff --from <time> [--to <time>]` */
export const diffCommand: Run = async ({ operands, options }, env) => {
  if (operands.length > 0) throw usageError('diff takes no operands');
  const { from, to } = options;
  if (from === undefined) throw usageError('diff takes --from, a time or the id of a change');
  const limit = limitOf(options);
  const client = await Client.login(await connectionOf(options, env));
  try {
    const read = (side: typeof AccessGained | typeof AccessLost): Promise<List<Grant>> =>
      readList(async (page) => {
        const { accessDiff } = await client.run(side, { from, to, ...page });
        return accessDiff.grants;
      }, limit);
    const difference = { gained: await read(AccessGained), lost: await read(AccessLost) };
    console.log(options.json ? JSON.stringify(difference, null, 2) : report(difference));
    const { totalCount } = difference.gained;
    if (options['fail-on-gained'] && totalCount > 0) {
      throw noticed(`access widens by ${counted(totalCount, 'pair')}`);
    }
  } finally {
    await client.logout();
  }
};

function report({ gained, lost }: Difference): string {
  if (gained.totalCount + lost.totalCount === 0) return 'Access is the same at both points.';
  const parts = [
    table(['', 'gained', 'lost'], [['access', gained.totalCount, lost.totalCount]]),
    pairs('Access gained', gained, GRANT_HEAD, grantRow),
    pairs('Access lost', lost, GRANT_HEAD, grantRow),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
