import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Child } from './child.js';
import { portOf, type FabricOptions } from './fabric.js';
import { fabricNetwork, startRouters } from './fabric-network.js';
import { login } from './measure.js';
import { sizeFor } from './network.js';
import { readsBeside } from './reads-beside.js';
import { megabytes, millis, timesTable, type TimesResult } from './report.js';
import { table } from './results.js';
import { order, type Connected } from './routers-order.js';
import { openStage, type Server, type Stage } from './stage.js';

/** Many routers, each linked with each: what they cost, and what a restart of the controller does. */

const CHANGE = { name: 'fabric: one change for many routers' };
const STORM = { name: 'fabric: all routers connect again after a restart' };
const CONNECTED = { name: 'fabric: connected routers with heartbeats' };

export const LINES_OF_MANY: readonly { readonly name: string }[] = [CHANGE, STORM, CONNECTED];

const CHANGES = 100;
const MAX_CHANGE_MILLIS = 100;
/** Routers that connect at once before a measurement. */
const AT_ONCE = 10;
const POLL_MILLIS = 250;
const MAX_POLLS = 1_200;
/** Two heartbeats in both directions, unless all measurements are to be short. */
const BEAT_SECONDS = 20;
const SHORT_SECONDS = 4;

const CONNECTIONS_HEAD = [
  'routers linked each with each connect',
  'routers',
  'attempts',
  'connected after s',
  'links',
  'stored after s',
];

interface Setup {
  readonly stage: Stage;
  readonly routers: Child;
  readonly port: number;
  /** How many are linked each with each. */
  readonly linked: number;
}

/** A network of its own, with many routers. */
export async function measureManyRouters(server: Server, options: FabricOptions): Promise<void> {
  const { identities, settings, routers: count, isWanted } = options;
  const network = fabricNetwork(count);
  const stage = await openStage(server, sizeFor(identities), settings, network);
  const children: Child[] = [];
  try {
    const routers = await startRouters(stage);
    children.push(routers);
    const linked = Math.ceil(count / 2);
    const setup = { stage, routers, linked, port: portOf(stage.controller) };
    const first = await connectLinked(setup, false);
    const connections = [connectionRow(`${String(AT_ONCE)} at once`, linked, first)];
    const times: TimesResult[] = [];
    if (isWanted(CHANGE)) times.push(await measureChange(setup));
    if (isWanted(STORM)) {
      const storm = await measureStorm(setup);
      connections.push(connectionRow('all at once, after a restart', linked, storm.again));
      times.push(...storm.times);
    }
    console.log(`\n${table(CONNECTIONS_HEAD, connections)}`);
    if (times.length > 0) console.log(`\n${timesTable('many routers', times)}`);
    if (isWanted(CONNECTED)) console.log(`\n${await measureConnected(setup, options)}`);
  } finally {
    for (const child of children) await child.stop();
    await stage.stop();
  }
}

interface LinkedRouters extends Connected {
  /** Until all links are stored. */
  readonly knownSeconds: number;
}

/** Connects the routers that are linked: a few at once, or all of them again. */
async function connectLinked(setup: Setup, isAgain: boolean): Promise<LinkedRouters> {
  const began = performance.now();
  const { routers, port, linked } = setup;
  const connected = await order(routers, {
    kind: 'connect',
    port,
    from: 0,
    to: linked,
    atOnce: isAgain ? linked : AT_ONCE,
    isAgain,
    getsSessions: true,
    links: 'each with each',
  });
  await waitForLinks(setup.stage, connected.links);
  return { ...connected, knownSeconds: (performance.now() - began) / 1000 };
}

const connectionRow = (how: string, linked: number, connected: LinkedRouters): string[] => [
  how,
  linked.toLocaleString('en'),
  String(connected.attempts),
  connected.seconds.toFixed(1),
  connected.links.toLocaleString('en'),
  connected.knownSeconds.toFixed(1),
];

/** Resolves when all links are stored, and so known to all processes of all controllers. */
async function waitForLinks({ databaseUrl }: Stage, expected: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (let poll = 0; poll < MAX_POLLS; poll += 1) {
      const { rows } = await client.query<{ count: number }>('select count(*)::int from link');
      if ((rows[0]?.count ?? 0) >= expected) return;
      await delay(POLL_MILLIS);
    }
    throw new Error('not all links became known');
  } finally {
    await client.end();
  }
}

async function measureChange({ routers, port, linked }: Setup): Promise<TimesResult> {
  const times = await order(routers, { kind: 'changes', port, times: CHANGES });
  const name = `change of an API session, at ${linked.toLocaleString('en')} routers`;
  return { name, millis: times, target: MAX_CHANGE_MILLIS };
}

interface Storm {
  readonly again: LinkedRouters;
  readonly times: readonly TimesResult[];
}

/** All routers connect at once and report their links; somebody reads before and meanwhile. */
async function measureStorm(setup: Setup): Promise<Storm> {
  const { stage } = setup;
  await stage.restart();
  const { done, times } = await readsBeside(stage, await login(stage), {
    what: 'all connect',
    work: () => connectLinked(setup, true),
  });
  return { again: done, times };
}

async function measureConnected(
  { stage, routers, port, linked }: Setup,
  { routers: count, effort }: FabricOptions,
): Promise<string> {
  await order(routers, {
    kind: 'connect',
    port,
    from: linked,
    to: count,
    atOnce: AT_ONCE,
    isAgain: false,
    getsSessions: true,
    links: 'none',
  });
  const seconds = effort.seconds < SHORT_SECONDS ? SHORT_SECONDS : BEAT_SECONDS;
  const before = await stage.probe();
  const began = performance.now();
  const connected = await order(routers, { kind: 'beat', port, seconds });
  const elapsed = performance.now() - began;
  const after = await stage.probe();
  if (connected !== count) throw new Error(`only ${String(connected)} routers stayed connected`);
  return table(
    ['connected routers with heartbeats', 'routers', 'CPU %', 'SQL/s', 'RSS'],
    [
      [
        `for ${String(seconds)} s`,
        count.toLocaleString('en'),
        millis(((after.cpu - before.cpu) / elapsed) * 100),
        millis(((after.statements - before.statements) / elapsed) * 1000),
        megabytes(after.rss),
      ],
    ],
  );
}
