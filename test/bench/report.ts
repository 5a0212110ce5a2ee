import type { LoginResult } from './logins.js';
import type { Measured, ReadResult } from './measure.js';
import type { ProcessorTime } from './processor-time.js';
import { table } from './results.js';
import type { WriteResult } from './writes.js';

const mark = (passes: boolean): string => (passes ? 'pass' : 'FAIL');

export const rate = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
export const millis = (value: number): string => value.toFixed(1);

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
  'database ms',
  'SQL/op',
];

export const readTable = (results: readonly ReadResult[]): string =>
  table(
    READ_HEAD,
    results.map(({ read, ours, floor, statements, processor }) => {
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
        ...processorCells(processor),
        statements.toFixed(1),
      ];
    }),
  );

/** Processor time for one request: of the controller and of its database. */
export const processorCells = ({ controller, database }: ProcessorTime): [string, string] => [
  controller.toFixed(2),
  database?.toFixed(2) ?? '',
];

export const writeTable = (results: readonly WriteResult[]): string =>
  table(
    ['write', 'ops/s', 'p50 ms', 'p99 ms', 'CPU ms', 'database ms', 'SQL/op'],
    results.map(({ name, ours, statements, processor }) => [
      name,
      rate(ours.perSecond),
      millis(ours.p50),
      millis(ours.p99),
      ...processorCells(processor),
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

export interface FabricResult {
  readonly name: string;
  readonly ours: Measured;
  readonly floor: Measured;
  readonly statements: number;
  readonly processor: ProcessorTime;
}

export const fabricTable = (results: readonly FabricResult[], leastRatio: number): string =>
  table(
    [
      'created and removed',
      ...['ops/s', 'floor', 'ratio', 'target', ''],
      ...['p50 ms', 'p99 ms', 'floor p99', 'CPU ms', 'database ms', 'SQL/op'],
    ],
    results.map(({ name, ours, floor, statements, processor }) => {
      const ratio = ours.perSecond / floor.perSecond;
      return [
        name,
        rate(ours.perSecond),
        rate(floor.perSecond),
        ratio.toFixed(2),
        `>= ${leastRatio.toFixed(2)}`,
        mark(ratio >= leastRatio),
        millis(ours.p50),
        millis(ours.p99),
        millis(floor.p99),
        ...processorCells(processor),
        statements.toFixed(1),
      ];
    }),
  );

export interface TimesResult {
  readonly name: string;
  readonly millis: readonly number[];
  /** The 99th percentile is below so many milliseconds; undefined for a measure to compare with. */
  readonly target: number | undefined;
}

export const timesTable = (what: string, results: readonly TimesResult[]): string =>
  table(
    [what, 'times', 'p50 ms', 'p99 ms', 'longest', 'target p99', ''],
    results.map(({ name, millis: of, target }) => {
      const sorted = of.toSorted((a, b) => a - b);
      const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
      return [
        name,
        String(of.length),
        millis(at(0.5)),
        millis(at(0.99)),
        millis(sorted.at(-1) ?? 0),
        ...(target === undefined ? ['', ''] : [`< ${String(target)}`, mark(at(0.99) < target)]),
      ];
    }),
  );

export interface ScaleResult {
  readonly name: string;
  readonly small: Measured;
  readonly large: Measured;
}

/** Of a network, in a table that compares two. */
export const ofSize = (identities: number): string => `at ${identities.toLocaleString('en')}`;

export const scaleTable = (
  networks: readonly [small: string, large: string],
  results: readonly ScaleResult[],
  /** The highest cost in the larger network, as a multiple of that in the smaller one. */
  most: number,
): string =>
  table(
    [
      'the same in both networks',
      ...networks.map((network) => `ops/s ${network}`),
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
        `<= ${most.toFixed(1)}`,
        mark(cost <= most),
      ];
    }),
  );

const MEGABYTE = 1024 * 1024;
const MAX_RSS = 450;

export const megabytes = (bytes: number): string => `${String(Math.round(bytes / MEGABYTE))} MB`;

export function memoryLine(rss: number): string {
  return `memory of the controller: ${megabytes(rss)} (target < ${String(MAX_RSS)} MB: ${mark(rss < MAX_RSS * MEGABYTE)})`;
}

export function indexLine(small: number, large: number, mostMegabytes: number): string {
  const more = large - small;
  return `RSS after the start: ${megabytes(small)} and ${megabytes(large)}, so the larger index takes ${megabytes(more)} (target <= ${String(mostMegabytes)} MB: ${mark(more <= mostMegabytes * MEGABYTE)})`;
}

const MAX_START_SECONDS = 60;

export const startLine = (seconds: number): string =>
  `start: ${seconds.toFixed(1)} s (target < ${String(MAX_START_SECONDS)} s: ${mark(seconds < MAX_START_SECONDS)})`;
