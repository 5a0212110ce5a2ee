import { idOf } from './address-values.js';

export const VIEWS = ['picture', 'routers', 'links', 'circuits', 'usage'] as const;
/** The usage of so many hours. */
export const HOURS = [6, 24, 72, 168] as const;

export type View = (typeof VIEWS)[number];

export const DEFAULT_HOURS = 24;

/** The settings in the address of the page; defaults are absent. */
export interface TrafficSearch {
  readonly view?: Exclude<View, 'picture'> | undefined;
  /** The id of the chosen circuit. */
  readonly circuit?: string | undefined;
  /** Ids: the circuits, links and usage of these alone. */
  readonly identity?: string | undefined;
  readonly service?: string | undefined;
  readonly router?: string | undefined;
  readonly link?: string | undefined;
  /** Ids of the routers at the ends of a path. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The usage of each identity in place of each service. */
  readonly by?: 'identity' | undefined;
  readonly hours?: number | undefined;
}

export const trafficSearch = (search: Readonly<Record<string, unknown>>): TrafficSearch => ({
  view: VIEWS.find((view): view is Exclude<View, 'picture'> => {
    return view !== 'picture' && view === search.view;
  }),
  circuit: idOf(search.circuit),
  identity: idOf(search.identity),
  service: idOf(search.service),
  router: idOf(search.router),
  link: idOf(search.link),
  from: idOf(search.from),
  to: idOf(search.to),
  by: search.by === 'identity' ? 'identity' : undefined,
  hours: HOURS.find((hours) => hours !== DEFAULT_HOURS && hours === search.hours),
});

/** Changes the address. */
export type ChangeSearch = (changed: TrafficSearch) => void;
