import { parse, satisfies, type SemVer } from 'semver';
import { parseVersionRange, type VersionComparator, type VersionPattern } from './version-range.js';

/** Versions of operating systems carry builds as prerelease: `5.15.0-91-generic` is of `5.15.x`. */
export const VERSIONS_WITH_BUILDS = { includePrerelease: true };

/** A version, which may be partial, as the library reads it. */
export const versionText = ({ numbers, prerelease }: VersionPattern): string =>
  [numbers.join('.') || '*', prerelease.join('.')].filter(Boolean).join('-');

/** The library has its own grammar of ranges, but compares a version with one comparator as we do. */
function meets(version: SemVer, { operator, version: pattern }: VersionComparator): boolean {
  const text = versionText(pattern);
  if (operator === '!=') return !satisfies(version, text, VERSIONS_WITH_BUILDS);
  return satisfies(version, `${operator}${text}`, VERSIONS_WITH_BUILDS);
}

/** A version of exactly three numbers (SemVer 2.0.0); the library alone would take `v1.2.3` too. */
export const parseStrictVersion = (text: string): SemVer | undefined =>
  /^\d\S*$/.test(text) ? (parse(text) ?? undefined) : undefined;

/** Whether a version lies in a range; a text that is no range holds no version. */
export function satisfiesRange(version: SemVer, range: string): boolean {
  const alternatives = parseVersionRange(range) ?? [];
  return alternatives.some((all) => all.every((comparator) => meets(version, comparator)));
}
