import { CALLERS, type CallerKind, type FuzzRequest } from './fuzz-request.js';
import { operationOf, rootFields, type RootField, type RootKind } from './graph-operations.js';
import { graphRequest, graphWeightOf } from './graph-requests.js';
import { asGet, mutateGraphBody } from './mutate-graph.js';
import { mutateRequest } from './mutate-request.js';
import type { LeftOut } from './odd-values.js';
import { Random } from './random.js';
import { restOperations } from './rest-operations.js';
import { restRequest, weightOf } from './rest-requests.js';
import { socketBatch } from './socket-batches.js';

const rest = restOperations().map((operation) => [weightOf(operation), operation] as const);
const graph = rootFields();
const graphOf = (root: RootKind): (readonly [number, RootField])[] =>
  graph.filter((f) => f.root === root).map((field) => [graphWeightOf(field), field] as const);
const queries = graphOf('query');
const mutations = graphOf('mutation');
const subscriptions = graphOf('subscription');

/** Every operation that requests are made for, under the names that requests carry. */
export const OPERATIONS: readonly string[] = [
  ...rest.map(([, { door, operationId }]) => `${door} ${operationId}`),
  ...graph.map(operationOf),
];

const CALLER_WEIGHTS: Readonly<Record<CallerKind, number>> = {
  stranger: 8,
  powerless: 10,
  reader: 10,
  editor: 22,
  administrator: 50,
};
const MUTATED = 60;
const REQUESTS_PER_SOCKET = 200;

/** What each operation is declared for comes first, once, of an administrator. */
function first(index: number, random: Random): FuzzRequest | undefined {
  const operation = rest[index]?.[1];
  if (operation) return restRequest(operation, index, 'administrator', random);
  const field = graph[index - rest.length];
  return field && graphRequest(field, [], index, 'administrator', random);
}

/** The request of a number: the same for the same seed, whatever has happened before it. */
export function generate(seed: number, index: number, leftOut: LeftOut): FuzzRequest {
  const random = new Random(seed, index);
  const declared = first(index, random);
  if (declared) return declared;
  const caller = random.weighted(CALLERS.map((kind) => [CALLER_WEIGHTS[kind], kind] as const));
  if (index % REQUESTS_PER_SOCKET === 0) return socketBatch(index, caller, random, leftOut);
  const isMutated = random.chance(MUTATED);
  if (random.chance(62)) {
    const request = restRequest(random.weighted(rest), index, caller, random);
    return isMutated ? mutateRequest(request, random, leftOut) : request;
  }
  const request = ofGraph(index, caller, random);
  if (!isMutated) return request;
  const mutated = random.chance(80)
    ? mutateGraphBody(request, random, leftOut)
    : mutateRequest(request, random, leftOut);
  return random.chance(6) ? asGet(mutated) : mutated;
}

function ofGraph(index: number, caller: CallerKind, random: Random): FuzzRequest {
  const fields = random.weighted([
    [68, queries],
    [30, mutations],
    [2, subscriptions],
  ]);
  const others = random.list(1, 3, () => random.weighted(queries));
  return graphRequest(random.weighted(fields), others, index, caller, random);
}
