import { DEFAULT_NODES } from '../../access/analysis/index.js';
import { accessMapView } from '../../graph/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { PolicyIndex } from '../../kernel/policy/index.js';

/** After the first requests of clients that have waited for the start. */
const DELAY_MILLIS = 1_000;
/** The map of a larger network takes seconds of the processor, and memory that nobody asked for. */
const MAX_IDENTITIES = 200_000;
/** After so many most of their code is compiled. */
const MAPS = 3;

export interface WarmUpOptions {
  readonly index: Pick<PolicyIndex, 'count'>;
  /** Makes a context for work of the controller itself. */
  readonly context: () => RequestContext;
  readonly onError: (error: unknown) => void;
  readonly delayMillis?: number;
}

/**
 * Makes maps of access soon after the start, in slices beside all other work. The first map of a
 * process takes three times as long as later ones, since its code is compiled meanwhile. Returns the
 * function that calls it off, or waits for the end of a map that it has begun.
 */
export function startWarmUp({
  index,
  context,
  onError,
  delayMillis = DELAY_MILLIS,
}: WarmUpOptions): () => Promise<void> {
  let work = Promise.resolve();
  let isOff = false;
  const makeMaps = async (): Promise<void> => {
    for (let made = 0; made < MAPS && !isOff; made += 1) {
      await accessMapView(context(), { maxNodes: DEFAULT_NODES });
    }
  };
  const timer = setTimeout(() => {
    if (index.count('identity') > MAX_IDENTITIES) return;
    work = makeMaps().catch(onError);
  }, delayMillis);
  timer.unref();
  return () => {
    isOff = true;
    clearTimeout(timer);
    return work;
  };
}
