import type { Circuit } from './circuit.js';
import type { Circuits } from './circuits.js';
import type { Links } from './links.js';
import type { Paths } from './paths.js';

export interface SmartReroutingOptions {
  readonly circuits: Pick<Circuits, 'all' | 'rerouteAll'>;
  readonly paths: Paths;
  readonly links: Pick<Links, 'get'>;
}

/** A path must be cheaper by so much, or circuits would move to and fro. */
const MIN_GAIN = 15;
/** At once only a few circuits move, so that not all of them leave for the same link. */
const MAX_AT_ONCE = 4;
const SHARE_AT_ONCE = 0.02;

/**
 * Moves circuits whose path has become dear to cheaper ones: a few at each call, those that gain most
 * first. Their data goes on meanwhile.
 */
export async function moveDearCircuits(options: SmartReroutingOptions): Promise<void> {
  const { circuits } = options;
  const all = circuits.all();
  const dear = all
    .map((circuit) => ({ circuit, gain: gainOf(circuit, options) }))
    .filter(({ gain }) => gain >= MIN_GAIN)
    .sort((one, other) => other.gain - one.gain);
  const most = Math.min(MAX_AT_ONCE, Math.max(1, Math.floor(all.length * SHARE_AT_ONCE)));
  await circuits.rerouteAll(dear.slice(0, most).map(({ circuit }) => circuit));
}

/** The cost that a circuit saves on the cheapest path of now; 0 if its links are going anyway. */
function gainOf({ routerIds, linkIds }: Circuit, { paths, links }: SmartReroutingOptions): number {
  const present = linkIds.flatMap((id) => links.get(id) ?? []);
  const best = paths.between(routerIds[0] ?? '', routerIds.at(-1) ?? '');
  const cost = paths.costOver(routerIds, present);
  if (!best || present.length < linkIds.length || cost === Infinity) return 0;
  return cost - best.cost;
}
