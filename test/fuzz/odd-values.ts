import type { Random } from './random.js';

/*
 * Values that programs trip over. Each kind has a name, by which a run can leave it out.
 */

/** What a run leaves out: `nul`, `surrogates`, `nesting`, `nested-members`, … */
export type LeftOut = ReadonlySet<string>;

const TEXTS: readonly (readonly [kind: string, text: string])[] = [
  ...['', ' ', '\t', '\r\n', '\u2028', '\u0085', '\ufeff', '\u202e', '\u200d', '\x7f', '\x1b[31m'],
  ...['é', 'e\u0301', 'İ', 'ß', 'ﬃ', '😀', '👩‍👩‍👧‍👦', '𝒳', '\uffff', '\u{10ffff}', '٣', '零'],
  ...['"', "'", '\\', '`', '%', '%00', '%zz', '_', '*', '?', '&', '=', '#', '@', '/', ';', ','],
  ...['../../etc/passwd', "' or 1=1 --", '$1', '${a}', '{{a}}', '<script>', '{', '[', '(((('],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'length', 'null', 'NaN'],
  ...['true', '0', '-1', '1e309', '1e400', '0x10', '9007199254740993', '٠', 'Infinity', 'none'],
  ...['#all', '@all', '#', '@', '##', '@@', '#all#all', '@none', 'id', 'ID', 'name'],
  ...['2024-02-30T25:61:61Z', '0000-00-00T00:00:00Z', '+275760-09-13T00:00:00Z', 'now'],
  ...['-271821-04-20T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '2024-01-01', '1704067200'],
].map((text) => ['text', text] as const);

const NUL_TEXTS = ['\0', 'a\0', '\0b', 'a\0b'].map((text) => ['nul', text] as const);
const SURROGATES = ['\ud800', 'a\udfff', '\udc00\ud800'].map((t) => ['surrogates', t] as const);

const SIZES = [40, 101, 256, 257, 1_000, 5_000];
const RARE_SIZES = [70_000, 300_000];

/** A text that is seldom expected. */
export function oddText(random: Random, leftOut: LeftOut): string {
  const size = random.weighted<readonly number[]>([
    [88, []],
    [11, SIZES],
    [1, RARE_SIZES],
  ]);
  if (size.length > 0)
    return random.pick(['a', 'é', '😀', '(', '\\', '"', ' ']).repeat(random.pick(size));
  const kinds = [...TEXTS, ...NUL_TEXTS, ...SURROGATES].filter(([kind]) => !leftOut.has(kind));
  return random.pick(kinds)[1];
}

const NUMBERS: readonly number[] = [
  ...[0, -0, 1, -1, 2, 0.1, 1.5, -0.5, 255, 256, 499, 500, 501, 65_535, 65_536, 1e6],
  ...[2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 32, 2 ** 53, 2 ** 53 + 2, -(2 ** 53)],
  ...[2 ** 63, -(2 ** 63), 2 ** 64, 1e21, 1e100, -1e100, 1e308, -1e308, 5e-324, 8.64e15 + 1],
];

const oddNumber = (random: Random): number => random.pick(NUMBERS);

const OTHERS: readonly unknown[] = [null, true, false, {}, [], [null], [[]], { a: 1 }, [{}]];

/** A value of whatever kind. */
export const oddValue = (random: Random, leftOut: LeftOut): unknown =>
  random.made<unknown>([
    [5, () => oddText(random, leftOut)],
    [3, () => oddNumber(random)],
    [3, () => random.pick(OTHERS)],
    [1, () => wide(random)],
    [1, () => nested(random, leftOut)],
  ]);

/** Many entries or members, or few. */
export function wide(random: Random): unknown {
  const count = random.weighted([
    [20, 3],
    [10, 60],
    [3, 600],
    [1, 6_000],
  ]);
  const entry = random.pick<unknown>(['a', '#a', 1, null, {}]);
  if (random.chance(50)) return Array.from({ length: count }, () => entry);
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${String(i)}`, entry]));
}

const SHALLOW = [2, 8, 20];
const DEEP = [63, 64, 65, 200, 1_500];

/** Lists or objects in each other. */
export function nested(random: Random, leftOut: LeftOut): unknown {
  const depth = random.pick(leftOut.has('nesting') ? SHALLOW : [...SHALLOW, ...SHALLOW, ...DEEP]);
  const isList = random.chance(50);
  let value: unknown = 1;
  for (let i = 0; i < depth; i += 1) value = isList ? [value] : { a: value };
  return value;
}
