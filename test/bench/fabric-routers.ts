import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTENT } from '../../src/network/control/content-types.js';
import { messages } from '../../src/network/messages/emitted/messages.js';
import { edits, subscribe } from './model-followers.js';
import { ask, busy, paced } from './load.js';
import { login } from './measure.js';
import type {
  BeatOrder,
  ChangesOrder,
  CircuitsOrder,
  Outcome,
  RoutersAnswers,
  RoutersOrder,
  SimulatedRouters,
} from './routers-order.js';
import { SimulatedNetwork, type SessionFrame } from './simulated-network.js';

/*
 * The process of the simulated routers, which does what it is ordered over the process channel.
 * Argument: the file with the routers.
 */

const [, , file = ''] = process.argv;
const enrolled = JSON.parse(await readFile(file, 'utf8')) as SimulatedRouters;
const networks = new Map<number, SimulatedNetwork>();

function networkAt(port: number): SimulatedNetwork {
  const network = networks.get(port) ?? new SimulatedNetwork(port, enrolled);
  networks.set(port, network);
  return network;
}

type Answers = {
  readonly [K in RoutersOrder['kind']]: (
    order: Extract<RoutersOrder, { readonly kind: K }>,
    network: SimulatedNetwork,
  ) => Promise<RoutersAnswers[K]>;
};

const ANSWERS: Answers = {
  connect: (order, network) => network.connect(order),
  host: (order, network) => network.host(order),
  circuits: makeCircuits,
  sample: ({ sessionToken }, network) => network.sample(sessionToken),
  terminators: ({ sessionToken, seconds }, network) =>
    busy(() => network.makeTerminator(sessionToken), seconds),
  'full state': (order, network) => network.fullState(order),
  changes: measureChanges,
  subscribe,
  edits,
  beat,
};

function makeCircuits(
  { sessionToken, seconds, perSecond }: CircuitsOrder,
  network: SimulatedNetwork,
): Promise<RoutersAnswers['circuits']> {
  const make = (): Promise<number> => network.makeCircuit(sessionToken);
  return perSecond === undefined
    ? busy(make, seconds)
    : paced(make, perSecond, delay(seconds * 1000));
}

const BEAT_SECONDS = 10;

/** Each router sends a heartbeat in ten seconds, one after the other. */
async function beat({ seconds }: BeatOrder, network: SimulatedNetwork): Promise<number> {
  const { routers } = network;
  const began = performance.now();
  const until = began + seconds * 1000;
  for (let sent = 0; performance.now() < until; sent += 1) {
    routers[sent % routers.length]?.beat();
    const due = began + ((sent + 1) * BEAT_SECONDS * 1000) / routers.length;
    await delay(Math.max(0, Math.min(due, until) - performance.now()));
  }
  return network.routers.length;
}

/** A change that is not at all routers after so long ends the benchmark. */
const ARRIVAL_MILLIS = 20_000;
const WARM_UP = 2;
const LOGOUT = { method: 'DELETE', path: '/edge/management/v1/current-api-session' } as const;

/** Logs in and out again and again; gives the time from each request to its arrival at each router. */
async function measureChanges(
  { port, times }: ChangesOrder,
  network: SimulatedNetwork,
): Promise<number[]> {
  const origin = `https://127.0.0.1:${String(port)}`;
  const millis: number[] = [];
  for (let n = 0; n < times + WARM_UP; n += 1) {
    let token = '';
    const come = await arrivals(network, CONTENT.apiSessionUpdated, async () => {
      token = await login({ controller: origin });
    });
    checkToken(come.frames, token, ({ body }) =>
      messages.ApiSessionUpdated.decode(body).apiSessions.map((session) => session.token),
    );
    const gone = await arrivals(network, CONTENT.apiSessionRemoved, () =>
      ask(origin, { ...LOGOUT, token }),
    );
    checkToken(gone.frames, token, ({ body }) => messages.ApiSessionRemoved.decode(body).tokens);
    if (n >= WARM_UP) millis.push(...come.millis, ...gone.millis);
  }
  return millis;
}

/** The frames by which routers learn of one change. */
interface Arrivals {
  readonly frames: readonly SessionFrame[];
  /** From the request for the change, for each router. */
  readonly millis: readonly number[];
}

async function arrivals(
  network: SimulatedNetwork,
  type: number,
  change: () => Promise<unknown>,
): Promise<Arrivals> {
  const count = network.routers.length;
  const frames: SessionFrame[] = [];
  const abort = new AbortController();
  const all = new Promise<void>((resolve) => {
    network.onSessions = (frame) => {
      if (frame.type === type) frames.push(frame);
      if (frames.length === count) resolve();
    };
  });
  const late = delay(ARRIVAL_MILLIS, undefined, { signal: abort.signal }).then((): never => {
    throw new Error(`a change came to ${String(frames.length)} of ${String(count)} routers`);
  });
  const began = performance.now();
  try {
    await change();
    await Promise.race([all, late]);
    return { frames, millis: frames.map(({ at }) => at - began) };
  } finally {
    abort.abort();
    await late.catch(() => undefined);
  }
}

function checkToken(
  frames: readonly SessionFrame[],
  token: string,
  tokensOf: (frame: SessionFrame) => readonly string[],
): void {
  if (frames.every((frame) => tokensOf(frame).includes(token))) return;
  throw new Error('a router got another change');
}

async function outcomeOf(order: RoutersOrder): Promise<Outcome> {
  const answer = ANSWERS[order.kind] as (
    order: RoutersOrder,
    network: SimulatedNetwork,
  ) => Promise<unknown>;
  try {
    return { answer: await answer(order, networkAt(order.port)) };
  } catch (error) {
    return { error: String(error) };
  }
}

process.on('message', (order: RoutersOrder) => {
  void outcomeOf(order).then((outcome) => process.send?.(outcome));
});
process.on('SIGTERM', () => {
  process.exit();
});
console.log('ready');
