import type { TrafficNeighboursResult, TrafficPictureResult } from '../../emitted/operations.js';
import { texts } from '../../texts.js';
import type { Lit } from '../../parts/picture/scene.js';
import type { Scene, SceneEdge, SceneNode, SceneNodeKind } from '../../parts/picture/scene.js';

/** A way over routers. */
export interface Way {
  readonly routers: readonly WayRouter[];
  /** The links between them, in this order. */
  readonly linkIds: readonly string[];
}

export interface WayRouter {
  readonly id: string;
  /** Null or empty: it is not known. */
  readonly name: string | null;
}

export interface RouterNetwork {
  readonly routers: readonly NetworkRouter[];
  readonly links: readonly NetworkLink[];
  /** Whether there are more than the picture has. */
  readonly isPart: boolean;
}

type NetworkRouter = NonNullable<TrafficPictureResult['routers']>['nodes'][number];
type NetworkLink = NonNullable<TrafficPictureResult['first']>['nodes'][number];

interface LinkEdge extends SceneEdge {
  readonly edge: { readonly linkId: string };
}

export interface RouterScene extends Scene {
  readonly edges: readonly LinkEdge[];
}

/** The routers and links of an answer, which has the links in pages. */
export function networkOf(answer: TrafficPictureResult): RouterNetwork {
  const pages = [answer.first, answer.second, answer.third, answer.fourth];
  const routers = answer.routers?.nodes ?? [];
  const links = firstOf(
    MAX_LINKS,
    pages.flatMap((page) => page?.nodes ?? []),
  );
  return {
    routers,
    links,
    isPart:
      (answer.routers?.totalCount ?? 0) > routers.length ||
      (answer.first?.totalCount ?? 0) > links.length,
  };
}

/** The network with a router and those at the other ends of its links, in the place of the last ones. */
export function withNeighbours(
  network: RouterNetwork,
  { router, links }: TrafficNeighboursResult,
): RouterNetwork {
  const ownLinks = links?.nodes ?? [];
  const ends = ownLinks.flatMap(({ sourceRouter, destRouter }) => [sourceRouter, destRouter]);
  return {
    ...network,
    routers: firstOf(MAX_ROUTERS, [router, ...ends, ...network.routers]),
    links: firstOf(MAX_LINKS, [...ownLinks, ...network.links]),
  };
}

/** The most that a picture has: as many as the query reads. */
const MAX_ROUTERS = 500;
const MAX_LINKS = 2_000;

/** The first ones, each once: a link that comes between two pages may be in both. */
function firstOf<Entity extends { readonly id: string }>(
  most: number,
  entities: readonly (Entity | null | undefined)[],
): readonly Entity[] {
  const byId = new Map(entities.flatMap((entity) => (entity ? [[entity.id, entity]] : [])));
  return [...byId.values()].slice(0, most);
}

export type RouterState = 'online' | 'offline' | 'disabled' | 'notEnrolled';

export function stateOf(router: {
  readonly isOnline: boolean;
  readonly disabled: boolean;
  readonly isVerified: boolean;
}): RouterState {
  if (router.disabled) return 'disabled';
  if (!router.isVerified) return 'notEnrolled';
  return router.isOnline ? 'online' : 'offline';
}

const KINDS: Readonly<Record<RouterState, SceneNodeKind>> = {
  online: 'routerOnline',
  offline: 'routerOffline',
  disabled: 'routerDisabled',
  notEnrolled: 'routerDisabled',
};

export const nameOf = ({ id, name }: WayRouter): string =>
  name === null || name === '' ? id : name;

const SIDE = 600;
const MAX_SIZE = 10;
const MIN_SIZE = 3;
/** The circumference by the number of routers on it. */
const ROOM = 400;

/**
 * Routers on a circle in the order of their names, where each can have a link to each other, and where
 * it keeps its place while others come and go. The chosen way is always a part of it.
 */
export function routerScene({ routers, links }: RouterNetwork, way: Way | undefined): RouterScene {
  const states = statesOf(routers, links, way);
  const ids = new Set(states.map(({ id }) => id));
  const edges = edgesOf(links, way).filter(({ from, to }) => ids.has(from) && ids.has(to));
  const size = Math.max(MIN_SIZE, Math.min(MAX_SIZE, ROOM / Math.max(states.length, 1)));
  const nodes = states.map(({ id, name, state }, i): SceneNode => {
    const turn = (2 * Math.PI * i) / states.length - Math.PI / 2;
    const radius = states.length === 1 ? 0 : SIDE / 2;
    return {
      key: id,
      kind: KINDS[state],
      isPolicy: false,
      label: texts.traffic.labelOf(name, state),
      fullLabel: texts.traffic.labelOf(name, state),
      x: SIDE / 2 + radius * Math.cos(turn),
      y: SIDE / 2 - radius * Math.sin(turn),
      size,
      mark: undefined,
      level: undefined,
    };
  });
  return { layout: 'force', width: SIDE, height: SIDE, nodes, edges, isStep: false };
}

interface RouterAtPlace {
  readonly id: string;
  readonly name: string;
  readonly state: RouterState;
}

/** A caller who may not read routers sees those that have links, which are connected, by their ids. */
function statesOf(
  routers: readonly NetworkRouter[],
  links: readonly NetworkLink[],
  way: Way | undefined,
): readonly RouterAtPlace[] {
  const all = new Map<string, RouterAtPlace>();
  const add = (id: string, name: string, state: RouterState): void => {
    if (!all.has(id)) all.set(id, { id, name, state });
  };
  for (const router of routers) add(router.id, router.name, stateOf(router));
  for (const router of way?.routers ?? []) add(router.id, nameOf(router), 'online');
  for (const { sourceRouterId, destRouterId } of routers.length === 0 ? links : []) {
    for (const id of [sourceRouterId, destRouterId]) add(id, id, 'online');
  }
  return [...all.values()].sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
}

function edgesOf(links: readonly NetworkLink[], way: Way | undefined): readonly LinkEdge[] {
  const edges = new Map((way ? edgesOfWay(way) : []).map((edge) => [edge.edge.linkId, edge]));
  for (const { id, sourceRouterId: from, destRouterId: to, down } of links) {
    const kind = down ? 'linkDown' : 'link';
    edges.set(id, { from, to, kind, edge: { linkId: id }, mark: undefined });
  }
  return [...edges.values()];
}

const edgesOfWay = ({ routers, linkIds }: Way): readonly LinkEdge[] =>
  linkIds.flatMap((linkId, i): LinkEdge[] => {
    const [from, to] = [routers[i], routers[i + 1]];
    if (!from || !to) return [];
    return [{ from: from.id, to: to.id, kind: 'link', edge: { linkId }, mark: undefined }];
  });

/** A way is shown clearly, the rest pale. */
export function litByWay({ edges }: RouterScene, { routers, linkIds }: Way): Lit {
  const ids = new Set(linkIds);
  return {
    marked: new Set(),
    nodes: new Set(routers.map(({ id }) => id)),
    edges: new Set(edges.map(({ edge }) => edge).filter(({ linkId }) => ids.has(linkId))),
  };
}

/** A router is shown with its links and the routers at their other ends. */
export function litByRouter({ nodes, edges }: RouterScene, id: string): Lit | undefined {
  if (!nodes.some(({ key }) => key === id)) return undefined;
  const own = edges.filter(({ from, to }) => from === id || to === id);
  return {
    marked: new Set([id]),
    nodes: new Set([id, ...own.flatMap(({ from, to }) => [from, to])]),
    edges: new Set(own.map(({ edge }) => edge)),
  };
}
