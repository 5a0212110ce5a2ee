import type { GraphQLResolveInfo } from 'graphql';
import {
  accessList,
  accessPage,
  type AccessModel,
  type AccessPair,
  type AccessQuery,
  type Analyst,
  placeIn,
  type NewNames,
} from '../../analysis/index.js';
import type { RequestContext, Slices } from '../../kernel/request/context.js';
import { decodeCursor, Page, type PageNode, type Window } from '../../kernel/read/connection.js';
import { invalidField } from '../../base/errors.js';
import { windowOf } from '../../kernel/read/listing.js';
import type { Cursor } from '../../kernel/request/store-port.js';
import { requested } from '../../kernel/read/selection.js';

/** Pairs of an identity and a service as connections of the graph. */

export interface PairArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly limit?: number | null;
  readonly offset?: number | null;
  /** The point of the past that is asked about. */
  readonly at?: string | null;
}

/** A pair as a node, with the values that its cursor is made of. */
export interface Grant extends PageNode, AccessPair {
  /** Where the reasons are looked up. */
  readonly model: AccessModel;
  /** Of what is not in the network yet. */
  readonly newName?: NewNames | undefined;
  /** The place in the change log as of which names are given; undefined: now. */
  readonly place?: Cursor | undefined;
}

/** As many as a list read in slices gives at a time. */
const SLICE = 500;
const KEYS = 3;

export const grantOf = (
  model: AccessModel,
  pair: AccessPair,
  newName?: NewNames,
  place = placeIn(model),
): Grant => ({
  ...pair,
  '#s0': pair.identityId,
  '#s1': pair.serviceId,
  '#s2': pair.type,
  model,
  newName,
  place,
});

export function pairAfter(cursor: string): AccessPair {
  const [identityId, serviceId, type] = decodeCursor('after', cursor, KEYS);
  // The type is only compared with: an unknown one has a place in the order too.
  return {
    identityId: String(identityId),
    serviceId: String(serviceId),
    type: type as AccessPair['type'],
  };
}

/** The pages of pairs that are known already, one more than shown where more follow. */
const grantPage = (
  grants: readonly Grant[],
  totalCount: number,
  window: Window,
  asked: PairArguments,
): Page => new Page(grants, totalCount, window, KEYS, { after: asked.after });

/** One page of who reaches what. */
export async function listAccesses(
  ctx: RequestContext,
  queryOn: (model: AccessModel) => Promise<AccessQuery>,
  args: PairArguments,
  info: GraphQLResolveInfo,
): Promise<Page> {
  const window = windowOf({}, args);
  if (window.limit === 'none') return sliceOf(ctx, queryOn, window, args);
  const analyst = ctx.modules.analyst;
  const model = await analyst.modelAt(ctx, args.at);
  const query = await queryOn(model);
  const { fields } = requested(info);
  const total = fields.has('totalCount') || fields.has('pagination');
  const after = args.after ? pairAfter(args.after) : undefined;
  const upTo = window.offset + window.limit + 1;
  const { pairs } = await analyst.run(accessPage(model, query, upTo, after));
  const shown = pairs.slice(window.offset).map((pair) => grantOf(model, pair));
  return grantPage(shown, total ? await analyst.total(model, query) : 0, window, args);
}

/** A list that is being read in slices. */
interface Reading {
  readonly model: AccessModel;
  readonly totalCount: number;
  readonly pairs: Iterator<AccessPair, void>;
  next: IteratorResult<AccessPair, void>;
}

const readings = new WeakMap<Slices, Promise<Reading>>();

async function sliceOf(
  ctx: RequestContext,
  queryOn: (model: AccessModel) => Promise<AccessQuery>,
  window: Window,
  args: PairArguments,
): Promise<Page> {
  const { slices } = ctx;
  if (!slices) {
    throw invalidField('limit', 'all at once is only to be had by REST, where it is streamed', -1);
  }
  const begun = readings.get(slices) ?? begin(ctx, ctx.modules.analyst, queryOn, window, args);
  readings.set(slices, begun);
  const reading = await begun;
  const grants: Grant[] = [];
  // The last is only looked at: it shows that more follow.
  while (grants.length <= SLICE && reading.next.done !== true) {
    grants.push(grantOf(reading.model, reading.next.value));
    if (grants.length <= SLICE) reading.next = reading.pairs.next();
  }
  const part = { ...window, limit: SLICE, isSlice: true };
  const page = grantPage(grants, reading.totalCount, part, args);
  slices.after = page.next;
  return page;
}

async function begin(
  ctx: RequestContext,
  analyst: Analyst,
  queryOn: (model: AccessModel) => Promise<AccessQuery>,
  { offset }: Window,
  { at }: PairArguments,
): Promise<Reading> {
  const model = await analyst.modelAt(ctx, at);
  const list = await analyst.run(accessList(model, await queryOn(model)));
  const pairs = list[Symbol.iterator]();
  let next = pairs.next();
  for (let left = offset; left > 0 && next.done !== true; left -= 1) next = pairs.next();
  return { model, totalCount: list.totalCount, pairs, next };
}
