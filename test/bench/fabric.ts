import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Child } from './child.js';
import { fabricNetwork, SESSION, startRouters } from './fabric-network.js';
import type { Load } from './load.js';
import { openSessions } from './logins.js';
import { byTurns, statementsOf, type Effort } from './measure.js';
import { sizeFor } from './network.js';
import { ProcessorMeter } from './processor-time.js';
import { fabricTable, timesTable, type FabricResult, type TimesResult } from './report.js';
import { order, type RoutersAnswers } from './routers-order.js';
import {
  compiled,
  freePort,
  openStage,
  type ControllerSettings,
  type Server,
  type Stage,
} from './stage.js';

/** Circuits and terminators of a few routers, and the API sessions of many clients for one router. */

export interface FabricOptions {
  readonly identities: number;
  readonly effort: Effort;
  readonly settings: ControllerSettings;
  /** How many routers are connected at the most; the other numbers are in proportion. */
  readonly routers: number;
  readonly isWanted: (line: { readonly name: string }) => boolean;
}

/** At least so much of the throughput of the floor. */
const MIN_RATIO = 0.4;
const DIALS_PER_SECOND = 50;
const MAX_DIAL_MILLIS = 20;
/** Few dials a second need more seconds for a 99th percentile. */
const PACED_ROUNDS = 4;
const FULL_STATES = 5;
const MAX_FULL_STATE_MILLIS = 3_000;
const SESSIONS_FOR_ROUTER = 100;
const ROUTERS = 3;

interface ExchangeLine {
  readonly name: string;
  /** One load at a server, for so many seconds. */
  readonly load: (setup: Setup, port: number, seconds: number) => Promise<Load>;
}

/** The controller and the floor with the same routers. */
interface Setup {
  readonly stage: Stage;
  readonly routers: Child;
  readonly port: number;
  readonly floorPort: number;
}

const circuits =
  (sessionToken: string): ExchangeLine['load'] =>
  ({ routers }, port, seconds) =>
    order(routers, { kind: 'circuits', port, sessionToken, seconds });

const EXCHANGES: readonly ExchangeLine[] = [
  { name: 'fabric: circuits over 1 router', load: circuits(SESSION.near.dial) },
  { name: 'fabric: circuits over 3 routers', load: circuits(SESSION.far.dial) },
  {
    name: 'fabric: terminators',
    load: ({ routers }, port, seconds) => {
      const sessionToken = SESSION.hosted.host;
      return order(routers, { kind: 'terminators', port, sessionToken, seconds });
    },
  },
];
const DIALS = {
  name: `fabric: dials over 3 routers, ${String(DIALS_PER_SECOND)} per second`,
};
const FULL_STATE = { name: 'fabric: full state for a router' };

export const FABRIC_LINES: readonly { readonly name: string }[] = [...EXCHANGES, DIALS, FULL_STATE];

/** The port of an origin. */
export const portOf = (origin: string): number => Number(new URL(origin).port);

/** A network of its own, with few routers. */
export async function measureFabric(server: Server, options: FabricOptions): Promise<void> {
  const { identities, settings, isWanted } = options;
  const stage = await openStage(server, sizeFor(identities), settings, fabricNetwork(ROUTERS));
  const children: Child[] = [];
  try {
    const routers = await startRouters(stage);
    children.push(routers);
    const floorPort = await freePort();
    children.push(await startFloor(stage, floorPort));
    const setup = { stage, routers, floorPort, port: portOf(stage.controller) };
    await connect(setup);
    await measureExchanges(setup, options);
    const times: TimesResult[] = [];
    if (isWanted(DIALS)) times.push(await measureDials(setup, options));
    if (isWanted(FULL_STATE)) times.push(await measureFullState(setup, options));
    if (times.length > 0) console.log(`\n${timesTable('fabric', times)}`);
  } finally {
    for (const child of children) await child.stop();
    await stage.stop();
  }
}

const startFloor = ({ databaseUrl, dataDir }: Stage, port: number): Promise<Child> =>
  Child.start(
    [compiled('fabric-floor.js'), databaseUrl, String(port), join(dataDir, 'pki')],
    {},
    'ready',
  );

async function measureExchanges(setup: Setup, { isWanted, effort }: FabricOptions): Promise<void> {
  const results: FabricResult[] = [];
  for (const line of EXCHANGES.filter(isWanted)) {
    results.push(await measureExchange(setup, line, effort));
  }
  if (results.length > 0) console.log(`\n${fabricTable(results, MIN_RATIO)}`);
}

/** Connects the routers to both, hosts the services, and looks whether both do the same. */
async function connect({ routers, port, floorPort }: Setup): Promise<void> {
  for (const at of [port, floorPort]) {
    await order(routers, {
      kind: 'connect',
      port: at,
      from: 0,
      to: ROUTERS,
      atOnce: 1,
      isAgain: false,
      getsSessions: false,
      links: 'in a row',
    });
  }
  const hosts = [SESSION.near.host, SESSION.far.host];
  for (const [i, sessionToken] of hosts.entries()) {
    await order(routers, { kind: 'host', port, router: i * (ROUTERS - 1), sessionToken });
  }
  for (const { dial: sessionToken } of [SESSION.near, SESSION.far]) {
    const [ours, floor] = [
      await order(routers, { kind: 'sample', port, sessionToken }),
      await order(routers, { kind: 'sample', port: floorPort, sessionToken }),
    ];
    if (isDeepStrictEqual(ours, floor)) continue;
    console.error(JSON.stringify(ours), JSON.stringify(floor));
    throw new Error('the floor does not make the same circuits');
  }
}

async function measureExchange(
  setup: Setup,
  { name, load }: ExchangeLine,
  effort: Effort,
): Promise<FabricResult> {
  const { stage, port, floorPort } = setup;
  const statements = await statementsOf(stage, async () => {
    const { times } = await load(setup, port, 1);
    return times.length;
  });
  const meter = new ProcessorMeter(stage);
  const [ours, floor] = await byTurns(
    [
      (seconds) => meter.measure(() => load(setup, port, seconds)),
      (seconds) => load(setup, floorPort, seconds),
    ],
    effort,
  );
  if (!ours || !floor) throw new Error('nothing was measured');
  return { name, ours, floor, statements, processor: meter.perAnswer };
}

async function measureDials(
  { routers, port }: Setup,
  { effort }: FabricOptions,
): Promise<TimesResult> {
  const { times } = await order(routers, {
    kind: 'circuits',
    port,
    sessionToken: SESSION.far.dial,
    seconds: PACED_ROUNDS * effort.seconds,
    perSecond: DIALS_PER_SECOND,
  });
  return { name: DIALS.name, millis: times, target: MAX_DIAL_MILLIS };
}

/** After all else, since the sessions stay. */
async function measureFullState(
  { stage, routers, port }: Setup,
  { routers: mostRouters }: FabricOptions,
): Promise<TimesResult> {
  const count = mostRouters * SESSIONS_FOR_ROUTER;
  await openSessions(stage, count);
  const fullState = (isCounted: boolean): Promise<RoutersAnswers['full state']> =>
    order(routers, { kind: 'full state', port, isCounted });
  const { sessions } = await fullState(true);
  if (sessions < count) throw new Error(`a router got ${String(sessions)} API sessions`);
  const millis: number[] = [];
  for (let n = 0; n < FULL_STATES; n += 1) millis.push((await fullState(false)).millis);
  const name = `${FULL_STATE.name}: ${count.toLocaleString('en')} API sessions`;
  return { name, millis, target: MAX_FULL_STATE_MILLIS };
}
