import type { DraftChange } from '../draft/draft.js';
import { modelChanges } from '../draft/model-changes.js';
import type { AccessType, ModelChangeInput } from '../emitted/operations.js';
import { idOf, textOf } from './address-values.js';
import type { Pair } from '../parts/access/pair.js';

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

/** The identity and the service between which paths are wanted, when both are chosen. */
export function pairOf({ identity, service, lens }: MapSearch): Pair | undefined {
  if (identity === undefined || service === undefined) return undefined;
  return { identityId: identity, serviceId: service, type: lens ?? 'Dial' };
}

/** What the controller is asked for. */
export interface MapVariables {
  readonly type?: AccessType | undefined;
  readonly identityFilter?: string | undefined;
  readonly serviceFilter?: string | undefined;
  readonly at?: string | undefined;
  readonly changes?: readonly ModelChangeInput[] | undefined;
  readonly maxNodes: number;
}

/** Takes the draft of this tab. Changes of the past can not be simulated. */
export const mapVariables = (search: MapSearch, draft: readonly DraftChange[]): MapVariables => ({
  type: search.lens,
  identityFilter: search.identities,
  serviceFilter: search.services,
  at: search.at,
  changes: isWithDraft(search, draft) ? modelChanges(draft) : undefined,
  maxNodes: search.nodes ?? DEFAULT_NODES,
});

const isWithDraft = ({ at, draft }: MapSearch, changes: readonly DraftChange[]): boolean =>
  draft === true && at === undefined && changes.length > 0;
