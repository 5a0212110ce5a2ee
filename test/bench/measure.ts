import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { FLOORS } from './floors.js';
import { ask, drive, inTurn, type Load } from './load.js';
import { ProcessorMeter, type ProcessorTime } from './processor-time.js';
import type { Floor, HttpRequest, Read } from './reads.js';
import { PASSWORD, type Stage } from './stage.js';

export interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** How long each measurement takes, all of its rounds together. */
export interface Effort {
  readonly seconds: number;
  readonly rounds: number;
}

export const WARM_UP_SECONDS = 1;

/** Rounds of several loads by turns, so that what disturbs the machine disturbs all of them. */
export async function byTurns(
  loads: readonly ((seconds: number) => Promise<Load>)[],
  { seconds, rounds }: Effort,
): Promise<Measured[]> {
  for (const load of loads) await load(WARM_UP_SECONDS);
  const gathered = loads.map((): Load[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, load] of loads.entries()) gathered[i]?.push(await load(seconds / rounds));
  }
  return gathered.map(summed);
}

function summed(loads: readonly Load[]): Measured {
  const times = loads.flatMap(({ times: of }) => of).sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  const seconds = loads.reduce((sum, load) => sum + load.seconds, 0);
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

export async function login({ controller }: Pick<Stage, 'controller'>): Promise<string> {
  const { data } = await ask<{ data: { token: string } }>(controller, LOGIN);
  return data.token;
}

export const LOGIN: HttpRequest = {
  method: 'POST',
  path: '/edge/management/v1/authenticate?method=password',
  body: JSON.stringify({ username: 'admin', password: PASSWORD }),
};

export interface ReadResult {
  readonly read: Read;
  readonly ours: Measured;
  readonly floor: Measured;
  readonly statements: number;
  readonly processor: ProcessorTime;
}

/** One read under load, ours and the floor's by turns, after both gave the same answers. */
export async function measureRead(
  stage: Stage,
  read: Read,
  token: string,
  effort: Effort,
): Promise<ReadResult> {
  const keys = read.keys === undefined ? [''] : await keysOf(stage, read.keys);
  const pairs = keys.map((key) => ({
    ours: read.request(key),
    floor: floorRequest(read, key),
  }));
  for (const pair of pairs.slice(0, 10)) await compare(stage, read, pair, token);
  const ours = inTurn(pairs.map((p) => p.ours));
  const floor = inTurn(pairs.map((p) => p.floor));
  const statements = await statementsOf(stage, async () => {
    for (let i = 0; i < 20; i += 1) await ask(stage.controller, ours(), token);
    return 20;
  });
  const meter = new ProcessorMeter(stage);
  const [measured, least] = await byTurns(
    [
      (seconds) => meter.measure(() => drive(stage.controller, ours, seconds, token)),
      (seconds) => drive(stage.floor, floor, seconds, token),
    ],
    effort,
  );
  if (!measured || !least) throw new Error('nothing was measured');
  return { read, ours: measured, floor: least, statements, processor: meter.perAnswer };
}

export async function keysOf({ databaseUrl }: Stage, statement: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<{ key: string }>(statement)).rows.map(({ key }) => key);
  } finally {
    await client.end();
  }
}

/** Where the floor answers. */
export const floorPath = (floor: Floor, key: string): string =>
  `/${String(FLOORS.indexOf(floor))}/${encodeURIComponent(key)}`;

const floorRequest = (read: Read, key: string): HttpRequest => {
  const { method, body } = read.request(key);
  const path = floorPath(read, key);
  return { method, path, ...(body === undefined ? {} : { body }) };
};

/** Statements per operation; the controller's own polling is some five a second beside it. */
export async function statementsOf(stage: Stage, work: () => Promise<number>): Promise<number> {
  const before = await stage.probe();
  const operations = await work();
  const after = await stage.probe();
  return (after.statements - before.statements) / operations;
}

interface Body {
  data: unknown;
  meta?: { pagination?: { totalCount: number } };
}

/** The floor is a floor only when it gives the same: data, and the total where it counts itself. */
async function compare(
  stage: Stage,
  read: Read,
  pair: { ours: HttpRequest; floor: HttpRequest },
  token: string,
): Promise<void> {
  const ours = await ask<Body>(stage.controller, pair.ours, token);
  const floor = await ask<Body>(stage.floor, pair.floor);
  const total = floor.meta?.pagination?.totalCount ?? 0;
  if (
    isDeepStrictEqual(ours.data, floor.data) &&
    (total === 0 || total === ours.meta?.pagination?.totalCount)
  ) {
    return;
  }
  console.error(JSON.stringify(ours).slice(0, 3000));
  console.error(JSON.stringify(floor).slice(0, 3000));
  throw new Error(`the floor of "${read.name}" does not give the same for ${pair.ours.path}`);
}
