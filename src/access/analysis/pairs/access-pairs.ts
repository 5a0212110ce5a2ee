import type { Bitset, PolicyIndex, ServicePolicyType } from '../../../kernel/policy/index.js';
import { TYPES } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { ACCESS_PAIR } from './access-pair.js';
import type { AccessPair } from './access-pair.js';
import { AccessSelection } from './access-selection.js';
import type { AccessQuery } from './access-selection.js';
import { byteSorted } from '../../../base/byte-order.js';
import { smallest, sortedSliced } from './byte-sorting.js';
import { isAfter, PairList } from './pair-list.js';
import type { Page, PairKey } from './pair-list.js';
import { Reach, signatureOf } from './reach.js';
import type { Term } from './reach.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';

/** Gives the first pairs in order, after `after` when given. Cheaper than a list for one page. */
export function* accessPage(
  model: AccessModel,
  query: AccessQuery,
  first: number,
  after?: AccessPair,
): Sliced<Page<AccessPair>> {
  const selection = new AccessSelection(model, query);
  const start = after && ACCESS_PAIR.keyOf(after);
  const fewIdentities = selection.fewIdentities;
  const ids = fewIdentities ?? model.idsOf('identity', yield* selection.withPairs());
  const keysOf = keysReader(selection);
  // The identity of `after` may have no pair left; all others have one.
  const keys: PairKey[] = [];
  for (const from of smallest(ids, fewIdentities?.length ?? first + 2, start?.from)) {
    const missingCount = first + 1 - keys.length;
    if (missingCount <= 0) break;
    keys.push(...keysOf(from, missingCount, start));
    yield;
  }
  return { pairs: keys.slice(0, first).map(ACCESS_PAIR.make), hasMore: keys.length > first };
}

/** Reads at most `count` pairs of an identity, those after `start`. */
type KeysReader = (from: string, count: number, start: PairKey | undefined) => PairKey[];

function keysReader(selection: AccessSelection): KeysReader {
  const { model } = selection;
  const services = selection.fewIdentities ? undefined : selection.fewServices;
  const columns =
    services && new Map(byteSorted(services).map((id) => [id, selection.columnOf(id)]));
  return (from, count, start) => {
    const isStart = start?.from === from;
    const keys = columns
      ? keysInColumns(columns, from, model.ordinalOf('identity', from) ?? -1)
      : keysInRow(model, from, selection.rowOf(from), count + 1, isStart ? start.to : '');
    return keys.filter((key) => !isStart || isAfter(key, start)).slice(0, count);
  };
}

const keysInColumns = (
  columns: ReadonlyMap<string, readonly Bitset[]>,
  from: string,
  ordinal: number,
): PairKey[] =>
  [...columns].flatMap(([to, column]) =>
    layersWith(column, ordinal).map((layer) => ({ from, to, layer })),
  );

function keysInRow(
  model: AccessModel,
  from: string,
  row: readonly Bitset[],
  count: number,
  start: string,
): PairKey[] {
  const services = new Set(row.flatMap((targets) => model.idsOf('service', targets)));
  return smallest(services, count, start).flatMap((to) =>
    layersWith(row, model.ordinalOf('service', to) ?? -1).map((layer) => ({ from, to, layer })),
  );
}

const layersWith = (sets: readonly Bitset[], ordinal: number): number[] =>
  TYPES.map((_, layer) => layer).filter((layer) => sets[layer]?.has(ordinal));

/** Gives all pairs in order. Cheaper than pages for reading many of them. */
export function* accessList(model: AccessModel, query: AccessQuery): Sliced<PairList<AccessPair>> {
  const selection = new AccessSelection(model, query);
  const identities = yield* selection.withPairs();
  const space = yield* selection.space();
  const reach = new Reach(model, selection.relation, space);
  return new PairList(ACCESS_PAIR, {
    totalCount: yield* countOf(selection),
    fromIds: yield* sortedSliced(model.idsOf('identity', identities)),
    rowOf: (id) => reach.row(model.entity('identity', id)),
    space,
  });
}

/** Counts the pairs without listing them. */
export function* accessTotal(model: AccessModel, query: AccessQuery): Sliced<number> {
  return yield* countOf(new AccessSelection(model, query));
}

/** A model whose states are numbered: an index or a snapshot of it. */
export type VersionedModel = AccessModel & Pick<PolicyIndex, 'version'>;

/** Caches the totals of all pairs until the model changes. Each index has one cache. */
export class AccessTotals {
  private version = -1;
  private readonly totals = new Map<ServicePolicyType | undefined, number>();

  *total(model: VersionedModel, query: AccessQuery): Sliced<number> {
    const selection = new AccessSelection(model, query);
    if (selection.identities ?? selection.services) return yield* countOf(selection);
    const { version } = model;
    const cachedTotal = this.version === version ? this.totals.get(query.type) : undefined;
    if (cachedTotal !== undefined) return cachedTotal;
    const count = yield* countOf(selection);
    if (version > this.version) this.totals.clear();
    this.version = Math.max(version, this.version);
    if (version === this.version) this.totals.set(query.type, count);
    return count;
  }
}

/** Counts from the smallest number of sets that gives the answer. */
function* countOf(selection: AccessSelection): Sliced<number> {
  let count = 0;
  const addAll = (sets: readonly Bitset[]): void => {
    for (const set of sets) count += set.popcount();
  };
  const fewIdentities = selection.fewIdentities;
  const fewServices = selection.fewServices;
  if (fewIdentities) {
    yield* eachSliced(fewIdentities, 8, (id) => {
      addAll(selection.rowOf(id));
    });
  } else if (fewServices) {
    yield* eachSliced(fewServices, 4, (id) => {
      addAll(selection.columnOf(id));
    });
  } else count = yield* countBySignature(selection);
  return count;
}

function* countBySignature(selection: AccessSelection): Sliced<number> {
  const { model } = selection;
  const identities = yield* selection.withPairs();
  const reach = new Reach(model, selection.relation, yield* selection.space());
  yield;
  const groups = new Map<string, { times: number; readonly terms: readonly Term[] }>();
  yield* eachSliced(model.idsOf('identity', identities), 32, (id) => {
    const identity = model.entity('identity', id);
    if (!identity) return;
    const terms = reach.termsOf(identity);
    const signature = signatureOf(terms);
    const group = groups.get(signature);
    if (group) group.times += 1;
    else groups.set(signature, { times: 1, terms });
  });
  let count = 0;
  yield* eachSliced(groups.values(), 128, ({ times, terms }) => {
    count += times * reach.count(terms);
  });
  return count;
}
