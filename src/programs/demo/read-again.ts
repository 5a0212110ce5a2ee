import { Refusal } from '../cli/refusal.js';

/**
 * Runs work that reads the network before it writes, once more if it is refused. An interrupted run
 * leaves its last change under way: it may be stored after this run has read the network.
 */
export async function readAgainIfRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return work();
  }
}
