import { links, type LinkBetween } from '../../data/rows/fabric/index.js';
import { routers } from '../../data/rows/router/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { cheapestOf } from './links.js';
import { Paths, type Path } from './paths.js';

/** The answer to the question for a path. */
export type PathAnswer =
  { readonly path: Path } | { readonly path: undefined; readonly reason: string };

/**
 * The paths that the owner of the fabric chooses, computed by its own code from what it has stored:
 * so every process of every controller can answer, without asking the owner.
 */
export class StoredPaths {
  private constructor(
    private readonly paths: Paths,
    private readonly routerIds: ReadonlySet<string>,
    /** The routers with a link that a path can have. */
    private readonly linkedIds: ReadonlySet<string>,
  ) {}

  /** Reads routers and links; `isConnected` says which routers are connected to any controller. */
  static async read(rows: Rows, isConnected: (routerId: string) => boolean): Promise<StoredPaths> {
    const [allRouters, allLinks] = await Promise.all([
      routers.allCosts(rows),
      links.allBetween(rows),
    ]);
    const linksOfPairs = byPair(allLinks);
    const paths = new Paths((oneId, otherId) =>
      cheapestOf(linksOfPairs.get(pairOf(oneId, otherId)) ?? []),
    );
    for (const { isVerified, disabled, ...node } of allRouters) {
      if (isVerified && !disabled && isConnected(node.id)) paths.setRouter(node);
    }
    const linkedIds = new Set<string>();
    for (const linksOfPair of linksOfPairs.values()) {
      const link = cheapestOf(linksOfPair);
      if (!link || !paths.has(link.sourceId) || !paths.has(link.destinationId)) continue;
      paths.linksChanged(link.sourceId, link.destinationId);
      linkedIds.add(link.sourceId).add(link.destinationId);
    }
    return new StoredPaths(paths, new Set(allRouters.map(({ id }) => id)), linkedIds);
  }

  between(fromId: string, toId: string): PathAnswer {
    const path = this.paths.between(fromId, toId);
    return path ? { path } : { path, reason: this.reasonWithout(fromId, toId) };
  }

  private reasonWithout(fromId: string, toId: string): string {
    const ends = [fromId, toId];
    const unknown = ends.find((id) => !this.routerIds.has(id));
    if (unknown !== undefined) return `There is no router with the id ${unknown}.`;
    const absent = ends.find((id) => !this.paths.has(id));
    if (absent !== undefined) return `The router ${absent} is not connected.`;
    const unlinked = ends.find((id) => !this.linkedIds.has(id));
    if (unlinked !== undefined) {
      return `The router ${unlinked} has no link that is up to a connected router.`;
    }
    return 'The links that are up do not join the two routers over connected routers that carry traffic of others.';
  }
}

/** The same for both directions. */
const pairOf = (oneId: string, otherId: string): string =>
  oneId < otherId ? `${oneId} ${otherId}` : `${otherId} ${oneId}`;

function byPair(links: readonly LinkBetween[]): ReadonlyMap<string, readonly LinkBetween[]> {
  const pairs = new Map<string, LinkBetween[]>();
  for (const link of links) {
    const key = pairOf(link.sourceId, link.destinationId);
    const ofPair = pairs.get(key);
    if (ofPair) ofPair.push(link);
    else pairs.set(key, [link]);
  }
  return pairs;
}
