import { TrafficLinks, type LinkWhere, type TrafficLinksResult } from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import type { PartWanted, RowsPart } from '../../graph/use-rows.js';

export type Link = NonNullable<TrafficLinksResult['links']>['nodes'][number];

/** Of links that nobody has measured yet. */
export const UNMEASURED_LATENCY = 65_000;

export interface LinksWanted {
  /** The id of a router at one of their ends. */
  readonly router: string | undefined;
  readonly sort: string;
  /** Whether the caller may read the names of routers. */
  readonly routers: boolean;
}

/** Reads a part of the links. */
export async function readLinks(
  { router, sort, routers }: LinksWanted,
  { offset, first, signal }: PartWanted,
): Promise<RowsPart<Link>> {
  const where = router === undefined ? undefined : linksOf(router);
  const variables = { where, sort, routers, first, offset };
  const { data, failures } = await askPartly(TrafficLinks, variables, { signal });
  const [failure] = failures;
  if (!data?.links && failure) throw failure;
  return data?.links ?? { totalCount: 0, nodes: [] };
}

/** The links with the router at one of their ends. */
export const linksOf = (router: string): LinkWhere => ({
  or: [{ sourceRouterId: { eq: router } }, { destRouterId: { eq: router } }],
});
