import { compare, Range, type Comparator } from 'semver';
import { VERSIONS_WITH_BUILDS, versionText } from './satisfies-range.js';
import { parseVersionRange, type VersionComparator } from './version-range.js';

/** A comparator of a full version. */
interface Limit {
  readonly operator: string;
  readonly version: string;
}

/** The versions between two limits, except for some. */
interface Interval {
  readonly from: Limit;
  readonly to: Limit | undefined;
  readonly except: readonly Limit[];
}

const LOWEST = '0.0.0-0';
const ALL: Interval = { from: { operator: '>=', version: LOWEST }, to: undefined, except: [] };
const NONE: Limit = { operator: '<', version: LOWEST };

const OPPOSITE: Readonly<Record<string, string>> = {
  '': '!=',
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
};

const limitOf = ({ operator, semver }: Comparator): Limit =>
  // The library has no version for a comparator that every version meets.
  typeof semver === 'symbol' ? ALL.from : { operator, version: semver.version };

const opposite = ({ operator, version }: Limit): Limit => ({
  operator: OPPOSITE[operator] ?? '',
  version,
});

/** Alternatives, of which each is met by all of its limits. */
function limitsOf({ operator, version }: VersionComparator): readonly (readonly Limit[])[] {
  const sign = operator === '!=' ? '=' : operator;
  const [comparators = []] = new Range(`${sign}${versionText(version)}`, VERSIONS_WITH_BUILDS).set;
  const limits = comparators.map(limitOf);
  return operator === '!=' ? limits.map((limit) => [opposite(limit)]) : [limits];
}

/** The limit that more versions fail; `sign` is 1 for lower limits. */
function narrower(one: Limit | undefined, other: Limit, sign: 1 | -1): Limit {
  if (!one) return other;
  const order = compare(one.version, other.version) * sign;
  if (order !== 0) return order > 0 ? one : other;
  return one.operator.endsWith('=') ? other : one;
}

function narrowed(interval: Interval, limit: Limit): Interval {
  const { from, to, except } = interval;
  switch (limit.operator) {
    case '!=':
      return { from, to, except: [...except, limit] };
    case '>':
    case '>=':
      return { from: narrower(from, limit, 1), to, except };
    case '<':
    case '<=':
      return { from, to: narrower(to, limit, -1), except };
    default:
      return [
        { ...limit, operator: '>=' },
        { ...limit, operator: '<=' },
      ].reduce(narrowed, interval);
  }
}

function isEmpty({ from, to }: Interval): boolean {
  if (!to) return false;
  const order = compare(from.version, to.version);
  return order > 0 || (order === 0 && !(from.operator === '>=' && to.operator === '<='));
}

/** Empty intervals are left out, so that any number of excluded versions makes few intervals. */
const intervalsOf = (comparators: readonly VersionComparator[]): readonly Interval[] =>
  comparators.reduce<readonly Interval[]>(
    (intervals, comparator) =>
      intervals.flatMap((interval) =>
        limitsOf(comparator)
          .map((limits) => limits.reduce(narrowed, interval))
          .filter((one) => !isEmpty(one)),
      ),
    [ALL],
  );

const textOf = (limits: readonly Limit[]): string =>
  limits.map(({ operator, version }) => `${operator}${version}`).join(' ');

/**
 * The range in comparators of full versions, which mean the same to every reader: others refuse `5.15`, and do not
 * count `5.15.0-91-generic` to `5.15.x`. A text that is no range becomes one that holds no version.
 */
export function plainRange(range: string): string {
  const intervals = (parseVersionRange(range) ?? []).flatMap(intervalsOf);
  if (intervals.length === 0) return textOf([NONE]);
  return intervals
    .map(({ from, to, except }) => textOf([from, ...(to ? [to] : []), ...except]))
    .join(' || ');
}
