import type { ResultTable } from './results.js';

/*
 * Written by hand: the libraries for charts need a document of a browser or several megabytes, and a
 * chart of bars is a list of rectangles.
 */

const WIDTH = 760;
const LABEL = 250;
const ROW = 22;
const TOP = 44;
const MARGIN = 60;
/** The scale of ratios is logarithmic. */
const [MIN_RATIO, MAX_RATIO] = [0.1, 100];
const TICKS = [0.1, 1, 10, 100];

const RATIO = 'ratio';

const x = (ratio: number): number => {
  const share = Math.log(ratio / MIN_RATIO) / Math.log(MAX_RATIO / MIN_RATIO);
  return LABEL + Math.min(1, Math.max(0, share)) * (WIDTH - LABEL - MARGIN);
};

const text = (at: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string =>
  `<text x="${at.toFixed(1)}" y="${String(y)}" text-anchor="${anchor}">${escaped(content)}</text>`;

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function bar(name: string, ratio: number, y: number): string {
  const [from, to] = [x(1), x(ratio)];
  const [left, width] = [Math.min(from, to), Math.abs(to - from)];
  return [
    text(LABEL - 8, y + 15, name, 'end'),
    `<rect class="${ratio < 1 ? 'below' : 'above'}" x="${left.toFixed(1)}" y="${String(y + 4)}" width="${width.toFixed(1)}" height="${String(ROW - 8)}"/>`,
    text(Math.max(from, to) + 6, y + 15, ratio.toFixed(2), 'start'),
  ].join('');
}

/** Draws the ratios of a table as bars from 1 on, as SVG; undefined for a table without ratios. */
export function ratioPlot({ head, rows }: ResultTable, title: string): string | undefined {
  const column = head.indexOf(RATIO);
  if (column < 0) return undefined;
  const height = TOP + rows.length * ROW + 12;
  const ticks = TICKS.map(
    (tick) =>
      `<line x1="${x(tick).toFixed(1)}" x2="${x(tick).toFixed(1)}" y1="${String(TOP - 6)}" y2="${String(height - 10)}"/>${text(x(tick), TOP - 10, String(tick), 'middle')}`,
  );
  const bars = rows.map((row, i) => bar(row[0] ?? '', Number(row[column]), TOP + i * ROW));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(WIDTH)} ${String(height)}" role="img" aria-label="${escaped(title)}">`,
    '<style>text{font:12px sans-serif;fill:#333}line{stroke:#ccc}.above{fill:#2a7f62}.below{fill:#c0603a}</style>',
    `<rect width="100%" height="100%" fill="#fff"/>`,
    text(8, 18, title, 'start'),
    ...ticks,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}
