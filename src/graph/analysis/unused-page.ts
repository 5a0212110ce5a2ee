import {
  accessEffect,
  compareUnused,
  narrowing,
  policyUse,
  unusedMembers,
  type AccessModel,
  type Analyst,
  type CountedEnds,
  type FoundUnused,
  type GrantingSide,
  type Narrowing,
  type PolicyUse,
  type UsedPairs,
} from '../../access/analysis/index.js';
import { invalidField, notFound } from '../../base/errors.js';
import { decodeCursor, Page, type PageNode, type Window } from '../../kernel/read/connection.js';
import { windowOf } from '../../kernel/read/listing.js';
import type { PairArguments } from './access-list.js';
import { effectOnce, type WithEffect } from './finding-page.js';

/** The view of unused access in the graph. */

/** A network with the pairs that were used in it. */
export interface UsedNetwork {
  readonly analyst: Analyst;
  readonly model: AccessModel;
  readonly used: UsedPairs;
}

/** A policy as a node. Whatever needs more work than the counts is computed on demand, and once. */
export interface ShownUnused extends FoundUnused, WithEffect {
  readonly network: UsedNetwork;
  readonly use: () => PolicyUse;
  readonly narrowing: () => Promise<Narrowing>;
}

/** Makes a page of policies. Their order has a place for a policy that is no longer in the list. */
export function unusedPage(
  unused: readonly FoundUnused[],
  args: PairArguments,
  network: UsedNetwork,
  ends: CountedEnds,
): Page {
  const window = limitedWindow(args);
  const after = args.after ? placeOf(args.after) : undefined;
  const following = after ? unused.filter((one) => compareUnused(one, after) > 0) : unused;
  const nodes = following
    .slice(window.offset, window.offset + window.limit + 1)
    .map((one): ShownUnused & PageNode => ({
      ...shownUnused(one, network, ends),
      '#s0': one.unusedCount,
      '#s1': one.policyId,
    }));
  return new Page(nodes, unused.length, window, 2, { after: args.after });
}

function placeOf(cursor: string): Pick<FoundUnused, 'unusedCount' | 'policyId'> {
  const [unusedCount, policyId] = decodeCursor('after', cursor, 2);
  return { unusedCount: Number(unusedCount), policyId: String(policyId) };
}

function shownUnused(one: FoundUnused, network: UsedNetwork, ends: CountedEnds): ShownUnused {
  const { analyst, model, used } = network;
  const policy = model.policy('servicePolicy', one.policyId);
  if (!policy) throw notFound('service policy', one.policyId);
  const narrowed = once(() => analyst.run(narrowing(model, used, policy)));
  return {
    ...one,
    network,
    use: once(() => policyUse(model, used, policy, ends)),
    narrowing: narrowed,
    effect: effectOnce(async () => analyst.run(accessEffect(model, (await narrowed()).changes))),
  };
}

function once<T>(work: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => (cached ??= { value: work() }).value;
}

/** Makes a page of the members of a policy that did not use it. */
export async function unusedMembersPage(
  { network, use }: ShownUnused,
  side: GrantingSide,
  args: PairArguments,
): Promise<Page> {
  const { analyst, model } = network;
  const window = limitedWindow(args);
  const { offset, limit } = window;
  const after = args.after ? String(decodeCursor('after', args.after, 1)[0]) : undefined;
  const place = { count: offset + limit + 1, after };
  const { ids, totalCount } = await analyst.run(unusedMembers(model, use(), side, place));
  const name = side === 'identities' ? 'identityId' : 'serviceId';
  const nodes = ids.slice(offset).map((id): PageNode => ({ [name]: id, '#s0': id }));
  return new Page(nodes, totalCount, window, 1, { after: args.after });
}

/** Each entry of a page needs work of its own. */
export function limitedWindow(args: PairArguments): Window & { readonly limit: number } {
  const window = windowOf({}, args);
  const { limit } = window;
  if (limit === 'none') throw invalidField('limit', 'is not to be had without limit here', -1);
  return { ...window, limit };
}
