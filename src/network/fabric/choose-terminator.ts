import type { DialedTerminator } from '../../data/rows/terminator/index.js';
import type { Path } from './paths.js';

/** A terminator that can be reached, and how. */
export interface Candidate {
  readonly terminator: DialedTerminator;
  readonly path: Path;
  /** Of the terminator and the path. */
  readonly cost: number;
}

export interface Wish {
  /** `smartrouting`, `weighted`, `random` or `sticky`. */
  readonly strategy: string;
  /** The terminator of an earlier circuit, for `sticky`. */
  readonly stickyId: string;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

const ORDER = { required: 0, default: 1, failed: 2 } as const;

/** Chooses among the terminators of the first precedence that has any. */
export function chooseTerminator(
  candidates: readonly Candidate[],
  wish: Wish,
): Candidate | undefined {
  const first = Math.min(...candidates.map(({ terminator }) => ORDER[terminator.precedence]));
  const related = candidates
    .filter(({ terminator }) => ORDER[terminator.precedence] === first)
    .sort((one, other) => one.cost - other.cost);
  const strategy = STRATEGIES[wish.strategy] ?? cheapest;
  return strategy(related, wish);
}

type Strategy = (related: readonly Candidate[], wish: Wish) => Candidate | undefined;

/** Among equally cheap ones, any: they share the load. */
const cheapest: Strategy = (related, { random }) => {
  const least = related[0]?.cost;
  return anyOf(
    related.filter(({ cost }) => cost === least),
    random,
  );
};

/** A terminator of half the cost is chosen twice as often. */
const weighted: Strategy = (related, { random }) => {
  const weights = related.map(({ cost }) => 1 / Math.max(cost, 1));
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return related.at(at);
};

const sticky: Strategy = (related, wish) =>
  related.find(({ terminator }) => terminator.id === wish.stickyId) ?? cheapest(related, wish);

const STRATEGIES: Readonly<Record<string, Strategy>> = {
  weighted,
  sticky,
  random: (related, { random }) => anyOf(related, random),
};

const anyOf = (some: readonly Candidate[], random: () => number): Candidate | undefined =>
  some[Math.floor(random() * some.length)];
