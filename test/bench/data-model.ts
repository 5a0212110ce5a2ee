import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from './child.js';
import { portOf, type FabricOptions } from './fabric.js';
import { fabricNetwork, startRouters } from './fabric-network.js';
import { ask, CONNECTIONS, drive, paced } from './load.js';
import { login, WARM_UP_SECONDS } from './measure.js';
import { sizeFor } from './network.js';
import { ProcessorMeter } from './processor-time.js';
import type { HttpRequest } from './reads.js';
import { megabytes, millis, timesTable, type TimesResult } from './report.js';
import { table } from './results.js';
import { order, type Subscribed } from './routers-order.js';
import { openStage, type Server, type Stage } from './stage.js';
import { unique } from './writes.js';

/** The data model of many routers: the whole, large and small edits, and what they cost others. */

export const DATA_MODEL = { name: 'data-model' };

const ROUTERS = 100;
/** At 100,000 identities. */
const POLICIES = 600;
const AT_ONCE = 10;
const LARGE_EDITS = 10;
const SMALL_EDITS = 200;
const MAX_SMALL_MILLIS = 100;
const MAX_LARGE_MILLIS = 5_000;
const READS_PER_SECOND = 20;
const READ_SECONDS = 5;
const MAX_READ_MILLIS = 50;

const BASE = '/edge/management/v1';
const READ: HttpRequest = { method: 'GET', path: `${BASE}/identities?limit=25` };

interface Setup {
  readonly stage: Stage;
  readonly routers: Child;
  readonly port: number;
  readonly token: string;
}

/** A network of its own, with the policies and the routers of the target. */
export async function measureDataModel(server: Server, options: FabricOptions): Promise<void> {
  const { identities, settings } = options;
  const servicePolicies = Math.max(25, Math.round((identities * POLICIES) / 100_000));
  const size = { ...sizeFor(identities), servicePolicies };
  const stage = await openStage(server, size, settings, fabricNetwork(ROUTERS));
  let routers: Child | undefined;
  try {
    routers = await startRouters(stage);
    const port = portOf(stage.controller);
    const setup = { stage, routers, port, token: await login(stage) };
    await order(routers, {
      ...{ kind: 'connect', port, from: 0, to: ROUTERS, atOnce: AT_ONCE },
      ...{ isAgain: false, getsSessions: false, links: 'none' },
    });
    await drive(stage.controller, () => READ, WARM_UP_SECONDS, setup.token);
    const identity = await anIdentity(setup);
    const alone = await smallEdits(setup, identity, 0);
    console.log(`\n${await measureWhole(setup)}`);
    const followed = await smallEdits(setup, identity, ROUTERS);
    const large = await largeEdits(setup);
    console.log(`\n${timesTable('data model', [...alone, ...followed, ...large])}`);
  } finally {
    await routers?.stop();
    await stage.stop();
  }
}

/** The first router waits until the model is read and the whole is built, the others for the whole alone. */
async function measureWhole({ stage, routers, port }: Setup): Promise<string> {
  const before = await stage.probe();
  const row = async (name: string, from: number, to: number): Promise<string[]> => {
    const { seconds, bytes }: Subscribed = await order(routers, {
      ...{ kind: 'subscribe', port, from, to },
    });
    const { rss, peakRss } = await stage.probe();
    return [
      name,
      (bytes / 1_000_000).toFixed(1),
      seconds.toFixed(2),
      ...[before.rss, rss, peakRss].map(megabytes),
    ];
  };
  const rows = [
    await row('the first router', 0, 1),
    await row(`the other ${String(ROUTERS - 1)} at once`, 1, ROUTERS),
  ];
  return table(['the whole model', 'MB', 's', 'RSS before', 'RSS after', 'highest RSS'], rows);
}

const patch = (path: string, values: object): HttpRequest => ({
  method: 'PATCH',
  path: `${BASE}${path}`,
  body: JSON.stringify(values),
});

async function anIdentity({ stage, token }: Setup): Promise<string> {
  const { data } = await ask<{ data: { id: string }[] }>(stage.controller, READ, token);
  const id = data[0]?.id;
  if (id === undefined) throw new Error('there is no identity');
  return id;
}

/** Edits of one identity one after the other, and the times until each is at these routers. */
async function smallEdits(
  { stage, routers, port, token }: Setup,
  identity: string,
  count: number,
): Promise<TimesResult[]> {
  const requests = Array.from({ length: SMALL_EDITS }, (_, i) =>
    patch(`/identities/${identity}`, { roleAttributes: [`team-${String(i % 5)}`, 'staff'] }),
  );
  const meter = new ProcessorMeter(stage);
  let arrivals: readonly number[] = [];
  const { times: answers } = await meter.measure(async () => {
    const edited = await order(routers, { kind: 'edits', port, token, requests, routers: count });
    ({ arrivals } = edited);
    return { seconds: 0, times: edited.answers };
  });
  const processor = millis(meter.perAnswer.controller);
  const name = `edit of an identity, ${String(count)} routers`;
  const answered = { name: `${name}: answer (CPU ${processor} ms)`, millis: answers };
  const arrived = { name: `${name}: at a router`, millis: arrivals, target: MAX_SMALL_MILLIS };
  return [{ ...answered, target: undefined }, ...(count > 0 ? [arrived] : [])];
}

/** A policy for everybody and everything loses and gets its members, while somebody reads. */
async function largeEdits({ stage, routers, port, token }: Setup): Promise<TimesResult[]> {
  const { data } = await ask<{ data: { id: string } }>(
    stage.controller,
    {
      method: 'POST',
      path: `${BASE}/service-policies`,
      body: JSON.stringify({
        ...{ name: unique('policy'), type: 'Dial', semantic: 'AnyOf' },
        ...{ identityRoles: ['#nobody'], serviceRoles: ['#all'] },
      }),
    },
    token,
  );
  const requests = Array.from({ length: LARGE_EDITS }, (_, i) =>
    patch(`/service-policies/${data.id}`, { identityRoles: [i % 2 === 0 ? '#all' : '#nobody'] }),
  );
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: CONNECTIONS });
  const reads = async (end: Promise<unknown>): Promise<readonly number[]> => {
    const read = async (): Promise<number> => {
      await ask(stage.controller, READ, token, agent);
      return performance.now();
    };
    return (await paced(read, READS_PER_SECOND, end)).times;
  };
  const before = await reads(delay(READ_SECONDS * 1_000));
  const editing = order(routers, { kind: 'edits', port, token, requests, routers: ROUTERS });
  const meanwhile = await reads(editing);
  agent.destroy();
  const { answers, arrivals } = await editing;
  const name = 'edit of a policy with all members';
  const page = `page of identities, ${String(READS_PER_SECOND)} per second`;
  return [
    { name: `${name}: answer`, millis: answers, target: undefined },
    { name: `${name}: at a router`, millis: arrivals, target: MAX_LARGE_MILLIS },
    { name: `${page}, before these edits`, millis: before, target: undefined },
    { name: `${page}, during these edits`, millis: meanwhile, target: MAX_READ_MILLIS },
  ];
}
