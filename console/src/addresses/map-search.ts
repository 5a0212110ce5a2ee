import { idOf, textOf } from './address-values.js';

export const LENSES = ['all', 'Dial', 'Bind'] as const;
export const LAYOUTS = ['lanes', 'force'] as const;
export const LOOKS = ['kinds', 'posture', 'online'] as const;
export const VIEWS = ['picture', 'nodes', 'edges'] as const;

export type Lens = (typeof LENSES)[number];
export type Layout = (typeof LAYOUTS)[number];
/** The property that the colours of the nodes tell. */
export type Look = (typeof LOOKS)[number];
export type View = (typeof VIEWS)[number];

/** The controller takes no other numbers of nodes. */
const MIN_NODES = 25;
const MAX_NODES = 2_000;
export const DEFAULT_NODES = 200;

/** The settings in the address of the map; defaults are absent. */
export interface MapSearch {
  readonly lens?: Exclude<Lens, 'all'> | undefined;
  /** In the filter language of the controller, as the next one. */
  readonly identities?: string | undefined;
  readonly services?: string | undefined;
  readonly nodes?: number | undefined;
  /** A time, or the id of a change. */
  readonly at?: string | undefined;
  readonly layout?: Exclude<Layout, 'lanes'> | undefined;
  readonly look?: Exclude<Look, 'kinds'> | undefined;
  readonly view?: Exclude<View, 'picture'> | undefined;
  /** The key of the selected node. */
  readonly node?: string | undefined;
  /** Whether the slider through time is shown. */
  readonly time?: true | undefined;
  /** Whether the map shows what the draft would change. */
  readonly draft?: true | undefined;
  /** The ids of the ends of the paths that are shown. */
  readonly identity?: string | undefined;
  readonly service?: string | undefined;
}

export const mapSearch = (search: Readonly<Record<string, unknown>>): MapSearch => ({
  lens: oneOf(['Dial', 'Bind'] as const, search.lens),
  identities: textOf(search.identities),
  services: textOf(search.services),
  nodes: nodesOf(search.nodes),
  at: idOf(search.at),
  layout: oneOf(['force'] as const, search.layout),
  look: oneOf(['posture', 'online'] as const, search.look),
  view: oneOf(['nodes', 'edges'] as const, search.view),
  node: idOf(search.node),
  time: search.time === true ? true : undefined,
  draft: search.draft === true ? true : undefined,
  identity: idOf(search.identity),
  service: idOf(search.service),
});

const oneOf = <Value extends string>(values: readonly Value[], given: unknown): Value | undefined =>
  values.find((value) => value === given);

function nodesOf(given: unknown): number | undefined {
  if (typeof given !== 'number' || !Number.isInteger(given) || given === DEFAULT_NODES) {
    return undefined;
  }
  return Math.min(Math.max(given, MIN_NODES), MAX_NODES);
}
