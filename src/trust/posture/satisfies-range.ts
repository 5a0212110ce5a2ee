import { parse, satisfies, type SemVer } from 'semver';
import { parseVersionRange, type VersionComparator } from './version-range.js';

/** Versions of operating systems carry builds as prerelease: `5.15.0-91-generic` is of `5.15.x`. */
const OPTIONS = { includePrerelease: true };

/** The library has its own grammar of ranges, but compares a version with one comparator as we do. */
function meets(version: SemVer, { operator, version: pattern }: VersionComparator): boolean {
  const numbers = pattern.numbers.join('.') || '*';
  const text = [numbers, pattern.prerelease.join('.')].filter(Boolean).join('-');
  if (operator === '!=') return !satisfies(version, text, OPTIONS);
  return satisfies(version, `${operator}${text}`, OPTIONS);
}

/** A version of exactly three numbers (SemVer 2.0.0); the library alone would take `v1.2.3` too. */
export const parseStrictVersion = (text: string): SemVer | undefined =>
  /^\d\S*$/.test(text) ? (parse(text) ?? undefined) : undefined;

/** Whether a version lies in a range; a text that is no range holds no version. */
export function satisfiesRange(version: SemVer, range: string): boolean {
  const alternatives = parseVersionRange(range) ?? [];
  return alternatives.some((all) => all.every((comparator) => meets(version, comparator)));
}
