import type {
  AccessModel,
  AccessPair,
  PairList,
  NameSources,
  NewNames,
} from '../../access/analysis/index.js';
import { decodeCursor, Page, type PageNode } from '../../kernel/read/connection.js';
import { windowOf } from '../../kernel/read/listing.js';
import { invalidField } from '../../base/errors.js';
import { grantOf, pairAfter, type PairArguments } from './access-list.js';

/** Pages of pairs that an analysis has computed. */

export function grantsPage(
  pairs: PairList<AccessPair>,
  model: AccessModel,
  args: PairArguments,
  newName?: NewNames,
): Page {
  return pageOf(pairs, args, {
    after: args.after ? pairAfter(args.after) : undefined,
    nodeOf: (pair) => grantOf(model, pair, newName),
    keys: 3,
  });
}

/** Pairs whose ids have these names. */
export function reachPage<P extends object>(
  pairs: PairList<P>,
  names: readonly (keyof P & string)[],
  args: PairArguments,
  naming: NameSources,
): Page {
  const idsOf = (values: readonly unknown[]): P =>
    Object.fromEntries(names.map((name, i) => [name, String(values[i])])) as P;
  return pageOf(pairs, args, {
    after: args.after ? idsOf(decodeCursor('after', args.after, names.length)) : undefined,
    nodeOf: (pair) => ({
      ...pair,
      ...naming,
      ...Object.fromEntries(names.map((name, i) => [`#s${String(i)}`, pair[name]])),
    }),
    keys: names.length,
  });
}

interface Shown<P> {
  readonly after: P | undefined;
  readonly nodeOf: (pair: P) => PageNode;
  /** Values that a cursor is made of. */
  readonly keys: number;
}

function pageOf<P>(
  pairs: PairList<P>,
  args: PairArguments,
  { after, nodeOf, keys }: Shown<P>,
): Page {
  const window = windowOf({}, args);
  const { limit, offset } = window;
  if (limit === 'none') throw invalidField('limit', 'is not to be had without limit here', -1);
  const read = pairs.page(offset + limit + 1, after);
  const nodes = read.pairs.slice(offset).map(nodeOf);
  return new Page(nodes, pairs.totalCount, window, keys, { after: args.after });
}
