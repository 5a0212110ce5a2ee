import { setTimeout as delay } from 'node:timers/promises';
import { CONTENT } from '../../src/network/control/content-types.js';
import { messages } from '../../src/network/messages/emitted/messages.js';
import { ask } from './load.js';
import type { Edited, EditsOrder, Subscribed, SubscribeOrder } from './routers-order.js';
import type { SimulatedNetwork } from './simulated-network.js';

/** Simulated routers that follow the data model. */

/** Longer than the benchmark follows it; the controller counts at most six minutes. */
const FOLLOWING_SECONDS = 360;
const ARRIVAL_MILLIS = 60_000;
/** A commit has this number of indexes, and the last one is that of its last set. */
const INDEXES_OF_COMMIT = 1_024n;

export async function subscribe(
  { from, to }: SubscribeOrder,
  network: SimulatedNetwork,
): Promise<Subscribed> {
  let bytes = 0;
  const began = performance.now();
  await arrived(network, to - from, {
    isWanted: ({ type, body }) => {
      if (type === CONTENT.dataModel) bytes = body.length;
      return type === CONTENT.dataModel;
    },
    after: () => {
      for (const router of network.routers.slice(from, to)) {
        router.tell(CONTENT.subscribeToDataModel, messages.SubscribeToDataModelRequest, {
          subscriptionDurationSeconds: FOLLOWING_SECONDS,
          subscriptionId: 'bench',
        });
      }
      return Promise.resolve();
    },
  });
  return { seconds: (performance.now() - began) / 1_000, bytes };
}

export async function edits(
  { port, token, requests, routers }: EditsOrder,
  network: SimulatedNetwork,
): Promise<Edited> {
  const answers: number[] = [];
  const arrivals: number[] = [];
  for (const request of requests) {
    const began = performance.now();
    const times = await arrived(network, routers, {
      isWanted: ({ type, body }) => type === CONTENT.dataModelChangeSet && isEndOfCommit(body),
      after: async () => {
        await ask(`https://127.0.0.1:${String(port)}`, request, token);
        answers.push(performance.now() - began);
      },
    });
    arrivals.push(...times.map((at) => at - began));
  }
  return { answers, arrivals };
}

interface Awaited {
  readonly isWanted: (frame: { readonly type: number; readonly body: Buffer }) => boolean;
  readonly after: () => Promise<void>;
}

/** The times at which so many routers have got a frame after something. */
async function arrived(
  network: SimulatedNetwork,
  count: number,
  { isWanted, after }: Awaited,
): Promise<number[]> {
  const times: number[] = [];
  const abort = new AbortController();
  const all = new Promise<void>((resolve) => {
    if (count === 0) resolve();
    network.onModel = (frame) => {
      if (isWanted(frame)) times.push(performance.now());
      if (times.length === count) resolve();
    };
  });
  const late = delay(ARRIVAL_MILLIS, undefined, { signal: abort.signal }).then((): never => {
    throw new Error(`it came to ${String(times.length)} of ${String(count)} routers`);
  });
  try {
    await after();
    await Promise.race([all, late]);
    return times;
  } finally {
    abort.abort();
    await late.catch(() => undefined);
  }
}

/** The index is the first field; to decode all changes would take the time that is measured. */
function isEndOfCommit(body: Buffer): boolean {
  let index = 0n;
  for (let i = 1, shift = 0n; i < body.length; i += 1, shift += 7n) {
    const byte = body[i] ?? 0;
    index |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return body[0] === 0x08 && (index + 1n) % INDEXES_OF_COMMIT === 0n;
}
