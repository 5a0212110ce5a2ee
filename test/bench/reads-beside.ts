import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, CONNECTIONS, drive, paced } from './load.js';
import { WARM_UP_SECONDS } from './measure.js';
import type { HttpRequest } from './reads.js';
import type { TimesResult } from './report.js';
import type { Stage } from './stage.js';

const READ: HttpRequest = { method: 'GET', path: '/edge/management/v1/identities?limit=25' };
const PER_SECOND = 100;
const SECONDS = 3;
const MAX_MILLIS = 50;

/** Times of reads that come at a steady pace: before some work, and until it is done. */
export async function readsBeside<T>(
  { controller }: Stage,
  token: string,
  { what, work }: { readonly what: string; readonly work: () => Promise<T> },
): Promise<{ readonly done: T; readonly times: readonly TimesResult[] }> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: CONNECTIONS });
  const reads = async (end: Promise<unknown>): Promise<readonly number[]> => {
    const read = async (): Promise<number> => {
      await ask(controller, READ, token, agent);
      return performance.now();
    };
    return (await paced(read, PER_SECOND, end)).times;
  };
  await drive(controller, () => READ, WARM_UP_SECONDS, token);
  await reads(delay(WARM_UP_SECONDS * 1000));
  const before = await reads(delay(SECONDS * 1000));
  const working = work();
  const meanwhile = await reads(working);
  agent.destroy();
  const name = `page of identities, ${String(PER_SECOND)} per second`;
  return {
    done: await working,
    times: [
      { name: `${name}, before ${what}`, millis: before, target: undefined },
      { name: `${name}, while ${what}`, millis: meanwhile, target: MAX_MILLIS },
    ],
  };
}
