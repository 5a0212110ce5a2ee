/** A version as far as it is given; parts that are absent match anything. */
export interface VersionPattern {
  /** Major, minor and patch, or fewer. */
  readonly numbers: readonly number[];
  /** Identifiers of the prerelease; the build says nothing about order and is dropped. */
  readonly prerelease: readonly string[];
}

export type VersionOperator = '=' | '!=' | '>' | '>=' | '<' | '<=';

export interface VersionComparator {
  readonly operator: VersionOperator;
  readonly version: VersionPattern;
}

/** Alternatives; a version satisfies one when it satisfies each of its comparators. */
export type VersionRange = readonly (readonly VersionComparator[])[];

const OPERATORS: Readonly<Record<string, VersionOperator>> = {
  '': '=',
  '=': '=',
  '==': '=',
  '!': '!=',
  '!=': '!=',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
};

const MAX_CHARACTERS = 255;
const NUMBER = /^(0|[1-9]\d{0,14})$/;
const IDENTIFIER = /^[0-9A-Za-z-]+$/;
const COMPARATOR = /^([=!<>]*)\s*([^\s=!<>]+)$/;

const isWildcard = (part: string): boolean => part === 'x' || part === 'X' || part === '*';

const areIdentifiers = (text: string): boolean =>
  text.split('.').every((part) => IDENTIFIER.test(part));

/** SemVer 2.0.0, 9: numeric identifiers of a prerelease have no leading zeros. */
const isPrerelease = (text: string): boolean =>
  areIdentifiers(text) &&
  text.split('.').every((part) => !/^\d+$/.test(part) || /^(0|[1-9]\d*)$/.test(part));

/** Up to three parts; once a part is a wildcard so are those behind it. */
function parseNumbers(core: string): readonly number[] | undefined {
  const parts = core.split('.');
  const wild = parts.findIndex(isWildcard);
  const given = wild === -1 ? parts : parts.slice(0, wild);
  const rest = parts.slice(given.length);
  const isSound =
    parts.length <= 3 && given.every((part) => NUMBER.test(part)) && rest.every(isWildcard);
  return isSound ? given.map(Number) : undefined;
}

const SUFFIXED = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/;

const areSuffixes = (prerelease: string | undefined, build: string | undefined): boolean =>
  (prerelease === undefined || isPrerelease(prerelease)) &&
  (build === undefined || areIdentifiers(build));

/** Prerelease and build need a full version in front: `1.x-beta` means nothing. */
function parseVersion(text: string): VersionPattern | undefined {
  const [, core = '', prerelease, build] = SUFFIXED.exec(text) ?? [];
  const numbers = parseNumbers(core);
  if (!numbers || !areSuffixes(prerelease, build)) return undefined;
  if (text !== core && numbers.length < 3) return undefined;
  return { numbers, prerelease: prerelease?.split('.') ?? [] };
}

function parseComparator(text: string): VersionComparator | undefined {
  const [, symbol = '', pattern = ''] = COMPARATOR.exec(text) ?? [];
  const operator = OPERATORS[symbol];
  const version = parseVersion(pattern);
  return operator && version && { operator, version };
}

/** A space joins comparators unless it follows an operator, as in `>= 1.2.0`. */
const comparatorsOf = (alternative: string): string[] =>
  alternative
    .replace(/([=!<>])\s+/g, '$1')
    .trim()
    .split(/\s+/);

/**
 * Reads a version range: comparators (`=`, `==`, `!`, `!=`, `>`, `>=`, `<`, `<=`, or none for
 * equality) joined by spaces for AND and by `||` for OR, over versions `1`, `1.2`, `1.2.3-rc.1+5`
 * or with wildcards `1.2.x`. Gives `undefined` for text that is no range.
 */
export function parseVersionRange(text: string): VersionRange | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const alternatives = text
    .split('||')
    .map((alternative) => comparatorsOf(alternative).map(parseComparator));
  const parsed = alternatives.map((alternative) =>
    alternative.filter((comparator) => comparator !== undefined),
  );
  const isComplete = alternatives.every((all, i) => all.length === parsed[i]?.length);
  return isComplete ? parsed : undefined;
}
