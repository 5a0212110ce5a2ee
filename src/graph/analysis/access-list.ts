import type { GraphQLResolveInfo } from 'graphql';
import {
  accessList,
  accessPage,
  type AccessModel,
  type AccessPair,
  type AccessQuery,
  type Analyst,
  placeIn,
  PresentModel,
  type NewNames,
} from '../../access/analysis/index.js';
import type { RequestContext, Slices } from '../../kernel/request/context.js';
import { decodeCursor, Page, type PageNode, type Window } from '../../kernel/read/connection.js';
import { invalidField } from '../../base/errors.js';
import { merged } from '../../base/merged.js';
import { windowOf } from '../../kernel/read/listing.js';
import type { Cursor } from '../../kernel/request/store-port.js';
import { requested } from '../../kernel/read/selection.js';

/** Pairs of an identity and a service as connections of the graph. */

export interface PairArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly limit?: number | null;
  readonly offset?: number | null;
  /** A point in time. */
  readonly at?: string | null;
}

/** A pair as a node, with the values of its cursor. */
export interface Grant extends PageNode, AccessPair {
  /** The model that gives the reasons. */
  readonly model: AccessModel;
  /** Names of entities that exist only in a simulation. */
  readonly newName?: NewNames | undefined;
  /** The place in the change log that gives the names; undefined for present names. */
  readonly place?: Cursor | undefined;
  /** Whether it is access of the present network. */
  readonly isPresent?: boolean;
}

/** The length of a slice of a list without limit. */
const SLICE = 500;
const KEYS = 3;

export const grantOf = (
  model: AccessModel,
  { identityId, serviceId, type }: AccessPair,
  newName?: NewNames,
  place = placeIn(model),
): Grant => ({
  identityId,
  serviceId,
  type,
  '#s0': identityId,
  '#s1': serviceId,
  '#s2': type,
  model,
  newName,
  place,
});

/** The node of a list of access, at present or at another time. */
const listedGrant = (model: AccessModel, pair: AccessPair): Grant => ({
  ...grantOf(model, pair),
  isPresent: model instanceof PresentModel,
});

/** A pair as a node whose cursor `pairAfter` reads. */
export const pairNode = (pair: AccessPair): PageNode =>
  merged(pair, { '#s0': pair.identityId, '#s1': pair.serviceId, '#s2': pair.type });

export function pairAfter(cursor: string): AccessPair {
  const [identityId, serviceId, type] = decodeCursor('after', cursor, KEYS);
  // The type is only compared: an unknown one has a place in the order too.
  return {
    identityId: String(identityId),
    serviceId: String(serviceId),
    type: type as AccessPair['type'],
  };
}

/** Makes a page of pairs; `grants` has one more than the page when more pairs follow. */
const grantPage = (
  grants: readonly Grant[],
  totalCount: number,
  window: Window,
  args: PairArguments,
): Page => new Page(grants, totalCount, window, KEYS, { after: args.after });

/** Gives one page of pairs with access. */
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
  const grants = pairs.slice(window.offset).map((pair) => listedGrant(model, pair));
  return grantPage(grants, total ? await analyst.total(model, query) : 0, window, args);
}

/** A list that a client reads in slices. */
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
  const started =
    readings.get(slices) ?? startReading(ctx, ctx.modules.analyst, queryOn, window, args);
  readings.set(slices, started);
  const reading = await started;
  const grants: Grant[] = [];
  // The last pair is only checked for: it shows that more follow.
  while (grants.length <= SLICE && reading.next.done !== true) {
    grants.push(listedGrant(reading.model, reading.next.value));
    if (grants.length <= SLICE) reading.next = reading.pairs.next();
  }
  const slice = { ...window, limit: SLICE, isSlice: true };
  const page = grantPage(grants, reading.totalCount, slice, args);
  slices.after = page.next;
  return page;
}

async function startReading(
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
  for (let toSkip = offset; toSkip > 0 && next.done !== true; toSkip -= 1) next = pairs.next();
  return { model, totalCount: list.totalCount, pairs, next };
}
