import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Database } from '../../src/data/store/database.js';
import { ModelStore } from '../../src/data/store/model-store.js';
import { ModelIndex } from '../../src/programs/controller/model-index.js';
import { catalog } from '../../src/resources/index.js';
import {
  accessMap,
  accessPage,
  AccessTotals,
  DEFAULT_NODES,
  explainAccess,
  ModelSnapshot,
  simulate,
  statesAfter,
  type AccessFacts,
} from '../../src/access/analysis/index.js';
import type { PolicyIndex } from '../../src/kernel/policy/index.js';
import { ask } from './load.js';
import { keysOf } from './measure.js';
import type { HttpRequest } from './reads.js';
import { table } from './results.js';
import type { Stage } from './stage.js';
import { toEnd } from '../../src/base/slices.js';

/** Answers about who reaches what, in process and over HTTP. */

export const ANALYSIS = { name: 'analysis: access, simulations and findings' };

/** The mix asked for: 1,000 attributes, and policies that are broad as long as they are not boundless. */
export const ANALYSIS_NETWORK: readonly string[] = [
  `update identity set role_attributes = role_attributes || ('unit-' || abs(hashtext(id)::bigint) % 900)`,
  `update service_policy set identity_roles = array['#unit-' || abs(hashtext(id)::bigint) % 900, '#unit-' || abs(hashtext(name)::bigint) % 900]
    where abs(hashtext(id)::bigint) % 10 < 5`,
  // Everybody to everything would leave nothing to be asked.
  `update service_policy set service_roles = array['@' || (select id from service order by id limit 1)]
    where identity_roles = '{#all}' or service_roles = '{#all}'`,
];

const SAMPLES = 400;
/** Of answers that take a fraction of a millisecond. */
const MANY = 4_000;
const FEW = 10;
const MEGABYTE = 1024 * 1024;

interface Line {
  readonly what: string;
  readonly millis: readonly number[];
  readonly target: number;
}

/** Or what was read before would be collected in the middle of what is timed. */
const collectGarbage = ((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;

const shown = (lines: readonly Line[]): string =>
  table(
    ['analysis', 'times', 'p50 ms', 'p99 ms', 'target p99', ''],
    lines.map(({ what, millis, target }) => [
      what,
      String(millis.length),
      at(millis, 0.5).toFixed(2),
      at(millis, 0.99).toFixed(2),
      `<= ${String(target)}`,
      at(millis, 0.99) <= target ? 'pass' : 'FAIL',
    ]),
  );

const pick = <T>(of: readonly T[], i: number): T => of[(i * 7919) % of.length] as T;

/** As it is in a process that has run for a while: what is compiled late is so by then. */
async function timed(times: number, work: (i: number) => unknown): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < times; i += 1) await work(i);
  for (let i = 0; i < times; i += 1) {
    const began = performance.now();
    await work(i);
    taken.push(performance.now() - began);
  }
  return taken;
}

async function timedOnce(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const NO_FACTS: AccessFacts = {
  isRouterOnline: () => false,
  isRouterDisabled: () => false,
  isIdentityDisabled: () => false,
  hasTerminators: () => true,
  apiSessionsOf: () => [],
  isPassing: () => true,
};

/** The engine alone, in the process of the benchmark. */
export async function measureEngine({ databaseUrl }: Stage): Promise<string> {
  const database = new Database({ url: databaseUrl, named: true, connections: 2 });
  try {
    const store = new ModelStore(database, catalog, 1);
    collectGarbage();
    const before = process.memoryUsage();
    const model = new ModelIndex(catalog, store);
    const began = performance.now();
    await model.load();
    const built = performance.now() - began;
    collectGarbage();
    const after = process.memoryUsage();
    const held = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    const lines = await engineLines(model.policies);
    const size = `index of the model: read in ${(built / 1000).toFixed(2)} s (target 5), ${(held / MEGABYTE).toFixed(0)} MB (target 300)`;
    return `${shown(lines)}\n\n${size}`;
  } finally {
    await database.close();
  }
}

async function engineLines(index: PolicyIndex): Promise<Line[]> {
  const ids = [...index.ids('identity')];
  const services = [...index.ids('service')];
  const identities = Array.from({ length: SAMPLES }, (_, i) => pick(ids, i));
  const policies = [...index.policies('servicePolicy')].map(({ id }) => id);
  const totals = new AccessTotals();
  const explained = await timed(MANY, (i) =>
    explainAccess(index, pick(ids, i), pick(services, i), 'Dial', NO_FACTS, { misses: 10 }),
  );
  const ofIdentity = await timed(SAMPLES, (i) => {
    const query = { identities: [identities[i] ?? ''] };
    toEnd(totals.total(index, query));
    return toEnd(accessPage(index, query, 25));
  });
  const ofService = await timed(SAMPLES, (i) => {
    const query = { services: [pick(services, i)] };
    toEnd(totals.total(index, query));
    return toEnd(accessPage(index, query, 25));
  });
  const total = await timed(FEW, () => toEnd(new AccessTotals().total(index, {})));
  const edits = await timed(FEW, (i) => {
    const id = pick(policies, i);
    const roles = { identities: ['#staff'] };
    return toEnd(simulate(index, [{ kind: 'servicePolicy', id, update: { roles } }]));
  });
  const maps = await timed(FEW, () =>
    toEnd(accessMap({ before: index, after: index }, {}, DEFAULT_NODES)),
  );
  const simulatedMaps = await timed(FEW, (i) => {
    const roles = { identities: ['#staff'] };
    const change = { kind: 'servicePolicy', id: pick(policies, i), update: { roles } } as const;
    return toEnd(accessMap(toEnd(statesAfter(index, [change])), {}, DEFAULT_NODES));
  });
  const snapshot = new ModelSnapshot(index);
  const writes = await timed(SAMPLES, (i) => {
    const id = pick(ids, i);
    const revision = 1_000_000 + i;
    index.apply({ kind: 'identity', id, revision, value: { attributes: [`unit-${String(i)}`] } });
  });
  snapshot.release();
  return [
    { what: 'access, in process', millis: explained, target: 1 },
    {
      what: 'accesses of an identity, first page and total, in process',
      millis: ofIdentity,
      target: 25,
    },
    {
      what: 'accesses of a service, first page and total, in process',
      millis: ofService,
      target: 25,
    },
    { what: 'total of all pairs, cold, in process', millis: total, target: 1_000 },
    { what: 'simulation of a policy edit, in process', millis: edits, target: 1_000 },
    { what: 'map of the network, in process', millis: maps, target: 500 },
    { what: 'map of a policy edit, in process', millis: simulatedMaps, target: 1_000 },
    { what: 'keeping the index current, a write of an identity', millis: writes, target: 2 },
  ];
}

const graph = (query: string, variables: object): HttpRequest => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
});

const ACCESS = `query ($i: ID!, $s: ID!) { access(identityId: $i, serviceId: $s, type: Dial) {
  allowed obstacles paths { policyId policyName } nearestMisses { totalCount nodes { policyName changes } } } }`;
const LIST = 'nodes { identityId serviceId type } totalCount';
const OF_IDENTITY = `query ($id: ID!) { accesses(identityId: $id) { ${LIST} } }`;
const OF_SERVICE = `query ($id: ID!) { accesses(serviceId: $id) { ${LIST} } }`;
const SEARCH = `query ($text: String!) { search(text: $text) { totalCount nodes { type name matchedBy node { nodeId } } } }`;
const SIMULATE = `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) {
  gained { totalCount } lost { totalCount } proveNoNewAccess { holds } } }`;

const MAP = `query ($changes: [ModelChangeInput!]) { accessMap(changes: $changes) {
  nodes { key kind count mergedCount roleAttribute sampleNames type change }
  edges { classKey policyKey side type count isComplete change } } }`;

/** The same through the door, one request at a time. */
export async function measureAnalysis(stage: Stage, token: string): Promise<string> {
  const identities = await keysOf(
    stage,
    `select id as key from identity order by md5(id) limit ${String(SAMPLES)}`,
  );
  const services = await keysOf(
    stage,
    `select id as key from service order by md5(id) limit ${String(SAMPLES)}`,
  );
  const policies = await keysOf(
    stage,
    `select id as key from service_policy order by md5(id) limit ${String(FEW)}`,
  );
  const send = (request: HttpRequest): Promise<unknown> => ask(stage.controller, request, token);
  const firstMap = await timedOnce(() => send(graph(MAP, {})));
  const explained = await timed(MANY / 2, (i) =>
    send(graph(ACCESS, { i: pick(identities, i), s: pick(services, i) })),
  );
  const ofIdentity = await timed(SAMPLES, (i) => send(graph(OF_IDENTITY, { id: identities[i] })));
  const ofService = await timed(SAMPLES, (i) =>
    send(graph(OF_SERVICE, { id: services[i % services.length] })),
  );
  const searches = await measureSearches(send);
  const editedPolicy = (i: number): object => ({
    changes: [
      {
        operation: 'update',
        type: 'servicePolicy',
        id: policies[i % policies.length],
        input: { identityRoles: ['#staff'] },
      },
    ],
  });
  const edit = (i: number): HttpRequest => graph(SIMULATE, editedPolicy(i));
  const edits = await timed(FEW, (i) => send(edit(i)));
  const maps = await timed(FEW, () => send(graph(MAP, {})));
  const simulatedMaps = await timed(FEW, (i) => send(graph(MAP, editedPolicy(i))));
  const others = await besides(
    async (isOver) => {
      for (let i = 0; !isOver(); i += 1) await send(edit(i));
    },
    (i) =>
      send({
        method: 'GET',
        path: `/edge/management/v1/identities/${identities[i % identities.length] ?? ''}`,
      }),
  );
  return shown([
    { what: 'access, over HTTP', millis: explained, target: 10 },
    {
      what: 'accesses of an identity, first page and total, over HTTP',
      millis: ofIdentity,
      target: 25,
    },
    {
      what: 'accesses of a service, first page and total, over HTTP',
      millis: ofService,
      target: 25,
    },
    ...searches,
    { what: 'simulation of a policy edit, over HTTP', millis: edits, target: 1_000 },
    { what: 'first map of a started controller, over HTTP', millis: [firstMap], target: 1_000 },
    { what: 'map of the network with its first names, over HTTP', millis: maps, target: 500 },
    { what: 'map of a simulated policy edit, over HTTP', millis: simulatedMaps, target: 1_000 },
    { what: 'identity detail while simulations run', millis: others, target: 50 },
  ]);
}

/** The first page of searches, each for another text, after the one that reads the network. */
async function measureSearches(
  send: (request: HttpRequest) => Promise<unknown>,
): Promise<readonly Line[]> {
  const texts: readonly (readonly [string, (i: number) => string])[] = [
    ['of one identity', (i) => `identity-${String(1 + ((i * 7919) % 1_000)).padStart(7, '0')}`],
    ['of all entities', (i) => ['e', '-', '0'][i % 3] ?? ''],
    ['of no entity', (i) => `nothing ${String(i)}`],
  ];
  const lines: Line[] = [];
  for (const [what, textOf] of texts) {
    const millis = await timed(SAMPLES, (i) => send(graph(SEARCH, { text: textOf(i) })));
    lines.push({ what: `search for a text ${what}, over HTTP`, millis, target: 50 });
  }
  return lines;
}

/** How long something takes while something else goes on all the time. */
async function besides(
  background: (isOver: () => boolean) => Promise<void>,
  work: (i: number) => Promise<unknown>,
): Promise<number[]> {
  let isOver = false;
  const running = background(() => isOver);
  try {
    return await timed(SAMPLES, work);
  } finally {
    isOver = true;
    await running;
  }
}
