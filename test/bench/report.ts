import type { LoginResult } from './logins.js';
import type { Measured, ReadResult } from './measure.js';
import type { WriteResult } from './writes.js';

const mark = (passes: boolean): string => (passes ? 'pass' : 'FAIL');

export const rate = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
export const millis = (value: number): string => value.toFixed(1);

/** A table of markdown, as docs/benchmark.md shows it; numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = head.map((_, i) => Math.max(...[head, ...rows].map((r) => (r[i] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((c, i) => (i === 0 ? c.padEnd(width[i] ?? 0) : c.padStart(width[i] ?? 0))).join(' | ')} |`;
  const rule = `| ${width.map((w, i) => (i === 0 ? '-'.repeat(w) : `${'-'.repeat(w - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

const READ_HEAD = [
  'read',
  'ops/s',
  'floor',
  'ratio',
  'target',
  '',
  'p50 ms',
  'p99 ms',
  'CPU ms',
  'SQL/op',
];

export const readTable = (results: readonly ReadResult[]): string =>
  table(
    READ_HEAD,
    results.map(({ read, ours, floor, statements, cpu }) => {
      const ratio = ours.perSecond / floor.perSecond;
      const passes = ratio >= read.target && Math.round(statements) <= read.statements;
      return [
        read.name,
        rate(ours.perSecond),
        rate(floor.perSecond),
        ratio.toFixed(2),
        `>= ${read.target.toFixed(2)}`,
        mark(passes),
        millis(ours.p50),
        millis(ours.p99),
        cpu.toFixed(2),
        statements.toFixed(1),
      ];
    }),
  );

export const writeTable = (results: readonly WriteResult[]): string =>
  table(
    ['write', 'ops/s', 'p50 ms', 'p99 ms', 'SQL/op'],
    results.map(({ name, ours, statements }) => [
      name,
      rate(ours.perSecond),
      millis(ours.p50),
      millis(ours.p99),
      statements.toFixed(1),
    ]),
  );

export const loginTable = (what: string, results: readonly LoginResult[]): string =>
  table(
    [what, 'ops/s', 'floor', 'ratio', 'p50 ms', 'p99 ms', 'SQL/op'],
    results.map(({ name, ours, floor, statements }) => [
      name,
      rate(ours.perSecond),
      rate(floor.perSecond),
      (ours.perSecond / floor.perSecond).toFixed(2),
      millis(ours.p50),
      millis(ours.p99),
      statements.toFixed(1),
    ]),
  );

export interface ScaleResult {
  readonly name: string;
  readonly small: Measured;
  readonly large: Measured;
}

/** Costs at the larger size, as multiples of those at the smaller one. */
const MOST = 1.3;

export const scaleTable = (
  sizes: readonly [small: number, large: number],
  results: readonly ScaleResult[],
): string =>
  table(
    [
      'the same at both sizes',
      ...sizes.map((n) => `ops/s at ${n.toLocaleString('en')}`),
      'cost',
      'target',
      '',
    ],
    results.map(({ name, small, large }) => {
      const cost = small.perSecond / large.perSecond;
      return [
        name,
        rate(small.perSecond),
        rate(large.perSecond),
        cost.toFixed(2),
        `<= ${MOST.toFixed(1)}`,
        mark(cost <= MOST),
      ];
    }),
  );

const MEGABYTE = 1024 * 1024;
const MOST_RSS = 450;
const MOST_INDEX = 300;

const megabytes = (bytes: number): string => `${String(Math.round(bytes / MEGABYTE))} MB`;

export function memoryLine(rss: number): string {
  return `RSS of the controller: ${megabytes(rss)} (target < ${String(MOST_RSS)} MB: ${mark(rss < MOST_RSS * MEGABYTE)})`;
}

export function indexLine(small: number, large: number): string {
  const more = large - small;
  return `RSS after the start: ${megabytes(small)} and ${megabytes(large)}, so the larger index takes ${megabytes(more)} (target <= ${String(MOST_INDEX)} MB: ${mark(more <= MOST_INDEX * MEGABYTE)})`;
}
