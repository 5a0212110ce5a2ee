import type { Grant } from '../emitted/operations.js';
import { plain } from './plain.js';
import { counted } from './plain.js';
import type { List } from './read-pages.js';
import { sortedRows, table } from './text-table.js';

/** Pairs of an identity and a service, as tables. */

export const GRANT_HEAD = ['identity', 'type', 'service', 'policies'];

export const grantRow = (grant: Grant): string[] => [
  ...endsOf(grant),
  grant.paths.map(({ policyName, policyId }) => plain(policyName ?? policyId)).join(', '),
];

export const endsOf = (grant: Omit<Grant, 'paths'>): string[] => [
  plain(grant.identityName ?? grant.identityId),
  grant.type,
  plain(grant.serviceName ?? grant.serviceId),
];

export function section(
  title: string,
  totalCount: number,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (totalCount === 0) return '';
  return `${title}: ${String(totalCount)}\n${table(head, rows)}${theRest(totalCount, rows.length)}`;
}

/** How much of a list is not shown. */
export const theRest = (totalCount: number, shown: number): string =>
  totalCount > shown ? `\n… and ${counted(totalCount - shown, 'more', 'more')}` : '';

/** Pairs come in the order of their ids, which the table does not show. */
export const pairs = <T>(
  title: string,
  { nodes, totalCount }: List<T>,
  head: readonly string[],
  rowOf: (node: T) => string[],
): string => section(title, totalCount, head, sortedRows(nodes.map(rowOf)));
