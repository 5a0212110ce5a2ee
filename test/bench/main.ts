import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { ANALYSIS, ANALYSIS_NETWORK, measureAnalysis, measureEngine } from './analysis.js';
import { ASSIGNMENT_LINES, measureAssignments } from './assignments.js';
import { CALLERS_AND_SERVICES, SERVICES } from './callers.js';
import {
  FEED,
  measureFeed,
  measureSnapshot,
  measureThroughput,
  SNAPSHOT,
  THROUGHPUT,
} from './controllers.js';
import { DATA_MODEL, measureDataModel } from './data-model.js';
import { ENROLLMENTS } from './enrollments.js';
import { FABRIC_LINES, measureFabric } from './fabric.js';
import { LOGINS, measureLogin, type LoginKind, type LoginResult } from './logins.js';
import { LINES_OF_MANY, measureManyRouters } from './many-routers.js';
import { login, measureRead, type Effort, type ReadResult } from './measure.js';
import { EMPTY, sizeFor, type NetworkSize } from './network.js';
import { OIDC } from './oidc.js';
import { measureAgainst, peerAddress } from './peer.js';
import type { PeerAddress } from './peer-network.js';
import { ratioPlot } from './plot.js';
import { READS, type Read } from './reads.js';
import {
  indexLine,
  loginTable,
  memoryLine,
  ofSize,
  readTable,
  scaleTable,
  startLine,
  writeTable,
} from './report.js';
import { resultsJson, resultTables } from './results.js';
import { measureScale, PAGES } from './scale.js';
import { SERVICE_READS } from './service-reads.js';
import { SERVICE_WRITES } from './service-writes.js';
import {
  openStage,
  startServer,
  type ControllerSettings,
  type Server,
  type Stage,
} from './stage.js';
import { measureSynchronisation, SYNCHRONISATION } from './synchronisation.js';
import { measureWave, WAVE } from './wave.js';
import { CREATE_IDENTITY, EDIT_POLICY, measureWrite, type WriteResult } from './writes.js';

const DEFAULT = 10_000;
const LARGE = 100_000;
const MAX_IDENTITIES = 1_000_000;
const SMALL = 1_000;

const ROUTERS = 1_000;
const MIN_ROUTERS = 10;

const WRITES = [CREATE_IDENTITY, EDIT_POLICY];
const ALL_LOGINS = [...LOGINS, ENROLLMENTS, ...OIDC];

/** Megabytes that the index may take more than at the smaller size, and costs as its multiples. */
const MAX_INDEX = 300;
const MAX_COST = 1.3;
const MAX_HUGE_INDEX = 1_000;
const MAX_HUGE_COST = 1.5;

const HUGE: NetworkSize = {
  identities: MAX_IDENTITIES,
  services: 50_000,
  routers: 5_000,
  servicePolicies: 10_000,
  edgeRouterPolicies: 5_000,
  serviceEdgeRouterPolicies: 5_000,
};

const USAGE = `npm run bench -- [options]
  --identities N   size of the network, the rest in proportion (default ${String(DEFAULT)})
  --large          the same as --identities ${String(LARGE)}
  --scale          also compare the costs at ${String(SMALL)} identities with those at that size
  --seconds N      of each measurement (default 4), in rounds that alternate with the floor
  --only TEXT      measure only what has a name that contains the text; may come again
                   (some lines run only so: --only fabric, assignments, synchronisation,
                   data-model or wave)
  --routers N      routers in these lines, of which half are linked each with each; one router gets
                   100 times as many API sessions (default ${ROUTERS.toLocaleString('en')})
  --against URL    instead, compare with another controller of the same interfaces:
                   https://admin:PASSWORD@HOST:PORT; both are filled through their doors, so the
                   other one should be empty
  --huge           instead, compare ${MAX_IDENTITIES.toLocaleString('en')} identities with ${DEFAULT.toLocaleString('en')}: pages, index, start
  --workers N      processes of the controller (default 1; with --against as many as cores)
  --json FILE      write the results there, with a description of the machine
  --plot FILE      draw the ratios there as SVG
  --profile DIR    write a CPU profile of the controller there when it ends`;

interface Options {
  readonly identities: number;
  readonly routers: number;
  readonly scale: boolean;
  readonly only: readonly string[];
  readonly effort: Effort;
  readonly settings: ControllerSettings;
  readonly huge: boolean;
  readonly json: string | undefined;
  readonly plot: string | undefined;
  readonly against: PeerAddress | undefined;
}

const isWhole = (value: number, least: number): boolean =>
  Number.isSafeInteger(value) && value >= least;

function options(): Options | undefined {
  const { values } = parseArgs({
    options: {
      identities: { type: 'string', default: String(DEFAULT) },
      large: { type: 'boolean', default: false },
      routers: { type: 'string', default: String(ROUTERS) },
      scale: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '4' },
      only: { type: 'string', multiple: true, default: [''] },
      against: { type: 'string' },
      workers: { type: 'string' },
      huge: { type: 'boolean', default: false },
      json: { type: 'string' },
      plot: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const identities = values.large ? LARGE : Number(values.identities);
  const seconds = Number(values.seconds);
  // The floor is one process, and another controller runs as its users run it.
  const defaultWorkers = values.against === undefined ? 1 : undefined;
  const routers = Number(values.routers);
  const isUsable = isWhole(identities, SMALL) && isWhole(routers, MIN_ROUTERS) && seconds > 0;
  if (values.help || !isUsable) return undefined;
  return {
    identities,
    routers,
    scale: values.scale,
    only: values.only,
    effort: { seconds, rounds: 4 },
    against: values.against === undefined ? undefined : peerAddress(values.against),
    settings: {
      nodeOptions:
        values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
      workers: values.workers === undefined ? defaultWorkers : Number(values.workers),
    },
    huge: values.huge,
    json: values.json,
    plot: values.plot,
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

/** As `isIn`, but not for everything that is not asked for by name. */
const isNamed = (only: readonly string[]) => isIn(only.filter((text) => text !== ''));

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
    console.log(indexLine((await small.probe()).rss, largeRss, MAX_INDEX));
    const results = await measureScale(small, large, effort);
    console.log(`\n${scaleTable([ofSize(SMALL), ofSize(identities)], results, MAX_COST)}`);
  } finally {
    await small.stop();
  }
}

/** Pages at the largest size and at the default one; the index and the start at the largest. */
async function measureHuge(server: Server, { effort, settings }: Options): Promise<void> {
  const small = await openStage(server, sizeFor(DEFAULT), settings);
  const smallRss = (await small.probe()).rss;
  const large = await openStage(server, HUGE, settings);
  try {
    tell(large);
    console.log(startLine(large.startSeconds));
    console.log(indexLine(smallRss, (await large.probe()).rss, MAX_HUGE_INDEX));
    const results = await measureScale(small, large, effort, PAGES);
    console.log(
      `\n${scaleTable([ofSize(DEFAULT), ofSize(MAX_IDENTITIES)], results, MAX_HUGE_COST)}`,
    );
  } finally {
    await large.stop();
    await small.stop();
  }
}

async function measurePeer(
  server: Server,
  other: PeerAddress,
  { identities, only, effort, settings }: Options,
): Promise<void> {
  const stage = await openStage(server, EMPTY, settings);
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
  if (chosen.huge) {
    await measureHuge(server, chosen);
    return;
  }
  if ([...READS, ...WRITES, ...ALL_LOGINS].some(isIn(only))) await measureNetwork(server, chosen);
  if (isNamed(only)(WAVE)) await measureLoginWave(server, chosen);
  if ([FEED, THROUGHPUT, SNAPSHOT].some(isIn(only))) await measureControllers(server, chosen);
  if (isIn(only)(ANALYSIS)) await measureAnswers(server, chosen);
  if (isNamed(only)(ASSIGNMENT_LINES)) await measureAssignments(server, chosen);
  if (isNamed(only)(SYNCHRONISATION)) await measureSynchronisation(server, chosen);
  const fabric = { ...chosen, isWanted: isIn(only) };
  if (FABRIC_LINES.some(isIn(only))) await measureFabric(server, fabric);
  if (LINES_OF_MANY.some(isNamed(only))) {
    await measureManyRouters(server, { ...fabric, isWanted: isNamed(only) });
  }
  if (isNamed(only)(DATA_MODEL)) await measureDataModel(server, fabric);
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
  const { identities, scale, settings } = chosen;
  const stage = await openStage(server, sizeFor(identities), settings);
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

/** A network of its own: its identities are those that log in. */
async function measureLoginWave(server: Server, chosen: Options): Promise<void> {
  const stage = await openStage(server, sizeFor(chosen.identities), chosen.settings);
  console.log();
  tell(stage);
  try {
    console.log(`\n${await measureWave(stage)}`);
  } finally {
    await stage.stop();
  }
}

/** A network of its own, since the writes of four make it larger. */
async function measureControllers(server: Server, chosen: Options): Promise<void> {
  const { only, effort, identities, settings } = chosen;
  const stage = await openStage(server, sizeFor(identities), settings, ['select 1', 'select 1']);
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
async function measureAnswers(server: Server, { identities, settings }: Options): Promise<void> {
  const services = Math.round(identities / 10);
  const size = { ...sizeFor(identities), services, servicePolicies: Math.round(identities / 20) };
  const stage = await openStage(server, size, settings, ANALYSIS_NETWORK);
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
  const stage = await openStage(server, size, chosen.settings, CALLERS_AND_SERVICES);
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

async function writeResults({ json, plot, identities, effort, settings }: Options): Promise<void> {
  const parameters = { identities, seconds: effort.seconds, workers: settings.workers };
  if (json !== undefined) await writeFile(json, resultsJson(parameters));
  if (plot === undefined) return;
  const drawing = resultTables()
    .map((table) => ratioPlot(table, 'operations per second, as a multiple of the other side'))
    .find((svg) => svg !== undefined);
  if (drawing !== undefined) await writeFile(plot, drawing);
}

const chosen = options();
if (chosen) {
  const server = await startServer();
  process.once('SIGINT', () => void server.stop().finally(() => process.exit(130)));
  try {
    await run(server, chosen);
    await writeResults(chosen);
  } finally {
    await server.stop();
  }
} else {
  console.log(USAGE);
}
process.exit();
