import { compare, parse } from 'semver';

/*
 * Ranges as routers of version 2 read them: comparators of full versions, joined by spaces and `||`. They do not
 * know the partial versions that consoles offer, and refuse the whole range.
 */

const COMPARATOR = /^(=|==|!|!=|>|>=|<|<=|)(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/;

const MEETS: Readonly<Record<string, (order: number) => boolean>> = {
  '': (order) => order === 0,
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};

/** Whether a version lies in a range; throws for a range that routers refuse. */
export function inStrictRange(version: string, range: string): boolean {
  const alternatives = range.split('||').map((all) => all.trim().split(/\s+/).map(comparatorOf));
  return alternatives.some((all) => all.every((meets) => meets(version)));
}

function comparatorOf(text: string): (version: string) => boolean {
  const [, operator = '', wanted = ''] = COMPARATOR.exec(text) ?? [];
  const meets = MEETS[operator];
  if (!meets || !parse(wanted)) throw new Error(`routers do not read ${JSON.stringify(text)}`);
  return (version) => meets(compare(version, wanted));
}
