import { ApiError, reasonWithField } from '../../base/errors.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { SelectedEntity } from '../../kernel/declare/rows.js';
import { rehearseIn } from '../../kernel/write/write.js';
import { inputFault, inputOf, type Section } from '../transfer/index.js';
import { ReadingTransaction } from './reading-transaction.js';

/**
 * Gives the reasons why rows could not be written again by the rules of their resource: each row
 * passes all phases of a replacement except the write.
 */
export async function refusalsOf(
  ctx: RequestContext,
  section: Section,
  rows: readonly SelectedEntity[],
): Promise<(string | undefined)[]> {
  const tx = new ReadingTransaction(ctx);
  const refusals: (string | undefined)[] = [];
  for (const row of rows) refusals.push(await refusalOf(ctx, tx, section, row));
  return refusals;
}

async function refusalOf(
  ctx: RequestContext,
  tx: ReadingTransaction,
  section: Section,
  row: SelectedEntity,
): Promise<string | undefined> {
  try {
    await rehearseIn(ctx, tx, section.resource, 'replace', row, inputOf(section, {}, row));
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status >= 500) throw error;
    const { field, reason } = inputFault(error);
    return field === null ? reason : reasonWithField(field, reason);
  }
}
