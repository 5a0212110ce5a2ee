import { oddText, type LeftOut } from './odd-values.js';
import type { Random } from './random.js';

type Change = (text: string, random: Random, leftOut: LeftOut) => string;

const place = (text: string, random: Random): number => random.between(0, text.length);

const CHANGES: readonly Change[] = [
  // The end is missing.
  (text, random) => text.slice(0, place(text, random)),
  // A part is missing.
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + text.slice(at + random.between(1, 12));
  },
  // Something stands in between.
  (text, random, leftOut) => {
    const at = place(text, random);
    return text.slice(0, at) + oddText(random, leftOut) + text.slice(at);
  },
  // A part stands there several times.
  (text, random) => {
    const [from, to] = [place(text, random), place(text, random)].sort((a, b) => a - b) as [
      number,
      number,
    ];
    return text.slice(0, to) + text.slice(from, to).repeat(random.between(1, 4)) + text.slice(to);
  },
  // One character is another one.
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + String.fromCharCode(random.between(1, 255)) + text.slice(at + 1);
  },
  // Two parts have changed places.
  (text, random) => {
    const at = place(text, random);
    return text.slice(at) + text.slice(0, at);
  },
  (text, random) => (random.chance(50) ? text.toUpperCase() : text.toLowerCase()),
];

/** A text with one change to it, or a few. */
export function mutateText(text: string, random: Random, leftOut: LeftOut): string {
  const count = random.weighted([
    [6, 1],
    [2, 2],
    [1, 4],
  ]);
  return Array.from({ length: count }, () => random.pick(CHANGES)).reduce(
    (changed, change) => change(changed, random, leftOut),
    text,
  );
}
