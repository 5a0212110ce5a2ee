import type { Page } from '../emitted/operations.js';
import { usageError } from './command-error.js';
import type { Options } from './options.js';

export interface List<T> {
  readonly totalCount: number;
  readonly nodes: readonly T[];
}

export interface Connection<T> extends List<T> {
  readonly pageInfo: Page;
}

/** Which page to ask for. */
export interface PageArguments {
  readonly first: number;
  readonly after: string | null;
}

export const MAX_PER_PAGE = 500;

/** All of a list, page by page, or as much of it as the limit allows. */
export async function readList<T>(
  askPage: (page: PageArguments) => Promise<Connection<T>>,
  limit = Infinity,
): Promise<List<T>> {
  const nodes: T[] = [];
  let after: string | null = null;
  for (;;) {
    const first = Math.min(MAX_PER_PAGE, limit - nodes.length);
    const { pageInfo, totalCount, nodes: more }: Connection<T> = await askPage({ first, after });
    nodes.push(...more);
    after = pageInfo.endCursor;
    if (!pageInfo.hasNextPage || nodes.length >= limit) return { totalCount, nodes };
  }
}

/** How much of a list to show; all of it when nothing is said. */
export function limitOf({ limit }: Options): number | undefined {
  if (limit === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw usageError(`--limit must be a whole number from 1, is "${limit}"`);
}
