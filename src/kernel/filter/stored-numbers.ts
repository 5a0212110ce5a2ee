import type { Literal } from './literal.js';
import type { Comparison, Operator } from './predicate.js';

/**
 * The comparison of an enumeration with numbers, as clients of 1.x send it: that version stored the
 * number of each value. It becomes a list of the values whose numbers match, so that an index on the
 * values serves it. Other comparisons stay as they are.
 */
export function withoutNumbers(
  comparison: Comparison,
  numbers: Readonly<Record<string, number>> | undefined,
): Comparison {
  if (!numbers || !comparison.values.some(isNumber)) return comparison;
  const matching = Object.entries(numbers).filter(([, number]) => holds(number, comparison));
  const values = matching.map(([name]): Literal => ({ kind: 'string', value: name }));
  return { ...comparison, operator: 'in', values };
}

const isNumber = ({ kind }: Literal): boolean => kind === 'int' || kind === 'float';

/** Whether a number has the positive form of the comparison. */
const holds = (number: number, { operator, values }: Comparison): boolean =>
  OPERATORS[operator](number, values.map(({ value }) => Number(value)) as [number, number]);

type Numbers = readonly [first: number, second: number];

const OPERATORS: Readonly<Record<Operator, (number: number, values: Numbers) => boolean>> = {
  isNull: () => false,
  eq: (number, [value]) => number === value,
  lt: (number, [value]) => number < value,
  lte: (number, [value]) => number <= value,
  gt: (number, [value]) => number > value,
  gte: (number, [value]) => number >= value,
  in: (number, values) => values.includes(number),
  between: (number, [from, below]) => number >= from && number < below,
  contains: (number, [part]) => String(number).includes(String(part)),
  icontains: () => false,
};
