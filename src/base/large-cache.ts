import { LRUCache } from 'lru-cache';

/**
 * A cache of up to `most` entries that takes memory as they come; `max` of the library would take it
 * for all of them at once, 80 bytes for each, in every process.
 */
export const largeCache = <V extends object | string | true>(
  most: number,
  ttlMillis?: number,
): LRUCache<string, V> =>
  new LRUCache({
    maxSize: most,
    sizeCalculation: () => 1,
    ...(ttlMillis === undefined ? {} : { ttl: ttlMillis }),
  });
