import { parseArgs } from 'node:util';
import { ANALYSIS, ANALYSIS_NETWORK, measureAnalysis, measureEngine } from './analysis.js';
import { CALLERS_AND_SERVICES, SERVICES } from './callers.js';
import {
  FEED,
  measureFeed,
  measureSnapshot,
  measureThroughput,
  SNAPSHOT,
  THROUGHPUT,
} from './controllers.js';
import { ENROLLMENTS } from './enrollments.js';
import { LOGINS, measureLogin, type LoginKind, type LoginResult } from './logins.js';
import { login, measureRead, type Effort, type ReadResult } from './measure.js';
import { EMPTY, sizeFor, type NetworkSize } from './network.js';
import { measureAgainst, peerAddress } from './peer.js';
import type { PeerAddress } from './peer-network.js';
import { READS, type Read } from './reads.js';
import { indexLine, loginTable, memoryLine, readTable, scaleTable, writeTable } from './report.js';
import { measureScale } from './scale.js';
import { SERVICE_READS } from './service-reads.js';
import { SERVICE_WRITES } from './service-writes.js';
import { openStage, startServer, type Server, type Stage } from './stage.js';
import { CREATE_IDENTITY, EDIT_POLICY, measureWrite, type WriteResult } from './writes.js';

const DEFAULT = 10_000;
const LARGE = 100_000;
const SMALL = 1_000;

const WRITES = [CREATE_IDENTITY, EDIT_POLICY];
const ALL_LOGINS = [...LOGINS, ENROLLMENTS];

const USAGE = `npm run bench -- [options]
  --identities N   size of the network, the rest in proportion (default ${String(DEFAULT)})
  --large          the same as --identities ${String(LARGE)}
  --scale          also compare the costs at ${String(SMALL)} identities with those at that size
  --seconds N      of each measurement (default 4), in rounds that alternate with the floor
  --only TEXT      measure only what has a name that contains the text; may come again
  --against URL    instead, compare with another controller of the same interfaces:
                   https://admin:PASSWORD@HOST:PORT; both are filled through their doors, so the
                   other one should be empty
  --profile DIR    write a CPU profile of the controller there when it ends`;

interface Options {
  readonly identities: number;
  readonly scale: boolean;
  readonly only: readonly string[];
  readonly effort: Effort;
  readonly nodeOptions: readonly string[];
  readonly against: PeerAddress | undefined;
}

function options(): Options | undefined {
  const { values } = parseArgs({
    options: {
      identities: { type: 'string', default: String(DEFAULT) },
      large: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '4' },
      only: { type: 'string', multiple: true, default: [''] },
      against: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const identities = values.large ? LARGE : Number(values.identities);
  const seconds = Number(values.seconds);
  if (values.help || !Number.isSafeInteger(identities) || identities < SMALL || !(seconds > 0)) {
    return undefined;
  }
  return {
    identities,
    scale: values.scale,
    only: values.only,
    effort: { seconds, rounds: 4 },
    against: values.against === undefined ? undefined : peerAddress(values.against),
    nodeOptions:
      values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
  };
}

const describe = (s: NetworkSize): string =>
  [
    [s.identities, 'identities'],
    [s.services, 'services'],
    [s.routers, 'routers'],
    [s.servicePolicies, 'service policies'],
    [s.edgeRouterPolicies, 'edge router policies'],
    [s.serviceEdgeRouterPolicies, 'service edge router policies'],
  ]
    .map(([count, name]) => `${count?.toLocaleString('en') ?? ''} ${String(name)}`)
    .join(', ');

const isIn =
  (only: readonly string[]) =>
  ({ name }: { readonly name: string }): boolean =>
    only.some((text) => name.includes(text));

async function measureReads(
  stage: Stage,
  kinds: readonly Read[],
  token: string,
  { only, effort }: Options,
): Promise<void> {
  const reads: ReadResult[] = [];
  for (const read of kinds.filter(isIn(only))) {
    reads.push(await measureRead(stage, read, token, effort));
  }
  if (reads.length > 0) console.log(`\n${readTable(reads)}`);
}

async function measureWrites(stage: Stage, token: string, chosen: Options): Promise<void> {
  const writes: WriteResult[] = [];
  for (const kind of WRITES.filter(isIn(chosen.only))) {
    writes.push(await measureWrite(stage, kind, token, chosen.effort));
  }
  if (writes.length > 0) console.log(`\n${writeTable(writes)}`);
}

/** After all else, so that the sessions that they leave are in no other measurement. */
async function measureLogins(
  stage: Stage,
  what: string,
  kinds: readonly LoginKind[],
  { only, effort }: Options,
): Promise<void> {
  const results: LoginResult[] = [];
  for (const kind of kinds.filter(isIn(only))) {
    results.push(await measureLogin(stage, kind, effort));
  }
  if (results.length > 0) console.log(`\n${loginTable(what, results)}`);
}

async function compareSizes(
  server: Server,
  large: Stage,
  largeRss: number,
  { identities, effort }: Options,
): Promise<void> {
  const small = await openStage(server, sizeFor(SMALL));
  try {
    console.log(indexLine((await small.probe()).rss, largeRss));
    const results = await measureScale(small, large, effort);
    console.log(`\n${scaleTable([SMALL, identities], results)}`);
  } finally {
    await small.stop();
  }
}

async function measurePeer(
  server: Server,
  other: PeerAddress,
  { identities, only, effort, nodeOptions }: Options,
): Promise<void> {
  const stage = await openStage(server, EMPTY, nodeOptions);
  try {
    console.log(await measureAgainst(stage, other, identities, isIn(only), effort));
    console.log(`\n${memoryLine((await stage.probe()).rss)}`);
  } finally {
    await stage.stop();
  }
}

async function run(server: Server, chosen: Options): Promise<void> {
  const { identities, scale, only, against } = chosen;
  if (against) {
    await measurePeer(server, against, chosen);
    return;
  }
  if ([...READS, ...WRITES, ...ALL_LOGINS].some(isIn(only))) await measureNetwork(server, chosen);
  if ([FEED, THROUGHPUT, SNAPSHOT].some(isIn(only))) await measureControllers(server, chosen);
  if (isIn(only)(ANALYSIS)) await measureAnswers(server, chosen);
  if ([...SERVICE_READS, ...SERVICE_WRITES].some(isIn(only))) {
    for (const size of scale ? [SMALL, identities] : [identities]) {
      await measureClients(server, size, chosen);
    }
  }
}

function tell({ size, startSeconds }: Stage): void {
  console.log(describe(size));
  console.log(`started in ${startSeconds.toFixed(1)} s; ten connections, TLS, loopback`);
}

async function measureNetwork(server: Server, chosen: Options): Promise<void> {
  const { identities, scale, nodeOptions } = chosen;
  const stage = await openStage(server, sizeFor(identities), nodeOptions);
  const atStart = await stage.probe();
  tell(stage);
  try {
    const token = await login(stage);
    await measureReads(stage, READS, token, chosen);
    await measureWrites(stage, token, chosen);
    console.log(`\n${memoryLine((await stage.probe()).rss)}`);
    if (scale) await compareSizes(server, stage, atStart.rss, chosen);
    await measureLogins(stage, 'login or session', ALL_LOGINS, chosen);
  } finally {
    await stage.stop();
  }
}

/** A network of its own, since the writes of four make it larger. */
async function measureControllers(server: Server, chosen: Options): Promise<void> {
  const { only, effort, identities, nodeOptions } = chosen;
  const stage = await openStage(server, sizeFor(identities), nodeOptions, ['select 1', 'select 1']);
  console.log();
  tell(stage);
  try {
    const token = await login(stage);
    if (isIn(only)(SNAPSHOT)) console.log(`\n${await measureSnapshot(server, stage, token)}`);
    if (isIn(only)(FEED)) console.log(`\n${await measureFeed(stage, token)}`);
    if (isIn(only)(THROUGHPUT)) console.log(`\n${await measureThroughput(stage, token, effort)}`);
  } finally {
    await stage.stop();
  }
}

/** A network of its own, in the mix that the targets are set for. */
async function measureAnswers(server: Server, { identities, nodeOptions }: Options): Promise<void> {
  const services = Math.round(identities / 10);
  const size = { ...sizeFor(identities), services, servicePolicies: Math.round(identities / 20) };
  const stage = await openStage(server, size, nodeOptions, ANALYSIS_NETWORK);
  console.log();
  tell(stage);
  try {
    console.log(`\n${await measureAnalysis(stage, await login(stage))}`);
    console.log(`\n${memoryLine((await stage.probe()).rss)}`);
    console.log(`\n${await measureEngine(stage)}`);
  } finally {
    await stage.stop();
  }
}

/** A network of its own: so many services, and callers who see few of them, are in no other one. */
async function measureClients(server: Server, identities: number, chosen: Options): Promise<void> {
  const size = { ...sizeFor(identities), services: SERVICES };
  const stage = await openStage(server, size, chosen.nodeOptions, CALLERS_AND_SERVICES);
  console.log();
  tell(stage);
  try {
    await measureReads(stage, SERVICE_READS, '', chosen);
    await measureLogins(stage, 'write of a client', SERVICE_WRITES, chosen);
    console.log(`\n${memoryLine((await stage.probe()).rss)}`);
  } finally {
    await stage.stop();
  }
}

const chosen = options();
if (chosen) {
  const server = await startServer();
  process.once('SIGINT', () => void server.stop().finally(() => process.exit(130)));
  try {
    await run(server, chosen);
  } finally {
    await server.stop();
  }
} else {
  console.log(USAGE);
}
process.exit();
