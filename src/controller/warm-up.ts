import { DEFAULT_NODES } from '../analysis/index.js';
import { accessMapView } from '../graph/index.js';
import type { RequestContext } from '../kernel/request/context.js';
import type { PolicyIndex } from '../policy/index.js';

/** After the first requests of clients that have waited for the start. */
const DELAY_MILLIS = 1_000;
/** The map of a larger network takes seconds of the processor, and memory that nobody asked for. */
const MOST_IDENTITIES = 200_000;

export interface WarmUpOptions {
  readonly index: Pick<PolicyIndex, 'count'>;
  /** Makes a context for work of the controller itself. */
  readonly context: () => RequestContext;
  readonly onError: (error: unknown) => void;
  readonly delayMillis?: number;
}

/**
 * Makes a map of access soon after the start, in slices beside all other work. The first map of a
 * process takes twice as long as later ones, since its code is compiled meanwhile. Returns the function
 * that calls it off, or waits for its end.
 */
export function startWarmUp({
  index,
  context,
  onError,
  delayMillis = DELAY_MILLIS,
}: WarmUpOptions): () => Promise<void> {
  let work = Promise.resolve();
  const timer = setTimeout(() => {
    if (index.count('identity') > MOST_IDENTITIES) return;
    work = accessMapView(context(), { maxNodes: DEFAULT_NODES }).then(() => undefined, onError);
  }, delayMillis);
  timer.unref();
  return () => {
    clearTimeout(timer);
    return work;
  };
}
