import { Client } from './client.js';
import type { Run } from './command.js';
import { noticed, usageError } from './command-error.js';
import { connectionOf } from './controller-connection.js';
import { GRANT_HEAD, grantRow, pairs } from './grant-tables.js';
import {
  limitOf,
  PAGE_VARIABLES,
  pageOf,
  readList,
  type Connection,
  type List,
} from './read-pages.js';
import { counted } from './plain.js';
import { GRANT, type Gained } from './simulation-answer.js';
import { table } from './text-table.js';

type Side = 'gained' | 'lost';
type Difference = Readonly<Record<Side, List<Gained>>>;

/** `overgraph diff --from <time> [--to <time>]` */
export const diffCommand: Run = async ({ operands, options }, env) => {
  if (operands.length > 0) throw usageError('diff takes no operands');
  const { from, to } = options;
  if (from === undefined) throw usageError('diff takes --from, a time or the id of a change');
  const limit = limitOf(options);
  const client = await Client.login(await connectionOf(options, env));
  try {
    const read = (side: Side): Promise<List<Gained>> =>
      readList(async (page) => {
        const query = `query ($from: String!, $to: String, ${PAGE_VARIABLES}) {
          accessDiff(from: $from, to: $to) { ${pageOf(side, '', GRANT)} }
        }`;
        const variables = { from, to, ...page };
        const { accessDiff } = await client.run<{
          accessDiff: Readonly<Record<Side, Connection<Gained>>>;
        }>(query, variables);
        return accessDiff[side];
      }, limit);
    const difference = { gained: await read('gained'), lost: await read('lost') };
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
