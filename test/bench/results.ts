import { cpus, release, totalmem, type } from 'node:os';

/** A table of measurements: the first cell of a row names what was measured. */
export interface ResultTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** All tables of this run, in their order. */
const tables: ResultTable[] = [];

/** Formats a table as markdown, as docs/benchmark.md shows it, and keeps it for the results. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  tables.push({ head, rows });
  const width = head.map((_, i) => Math.max(...[head, ...rows].map((r) => (r[i] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((c, i) => (i === 0 ? c.padEnd(width[i] ?? 0) : c.padStart(width[i] ?? 0))).join(' | ')} |`;
  const rule = `| ${width.map((w, i) => (i === 0 ? '-'.repeat(w) : `${'-'.repeat(w - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

export const resultTables = (): readonly ResultTable[] => tables;

/** The results of this run as JSON: the machine, and a list of objects for each table. */
export const resultsJson = (parameters: object): string =>
  `${JSON.stringify(
    {
      machine: {
        processor: cpus()[0]?.model.trim() ?? 'unknown',
        cores: cpus().length,
        memoryBytes: totalmem(),
        system: `${type()} ${release()}`,
        node: process.version,
      },
      parameters,
      tables: tables.map(({ head, rows }) => ({
        measured: head[0],
        results: rows.map((row) =>
          Object.fromEntries(head.map((name, i) => [name, value(row[i])])),
        ),
      })),
    },
    undefined,
    2,
  )}\n`;

/** A cell as a number where it is one. */
function value(cell = ''): string | number {
  const number = Number(cell.replaceAll(',', ''));
  return cell === '' || Number.isNaN(number) ? cell : number;
}
