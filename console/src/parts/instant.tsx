import { texts } from '../texts.js';

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const SECOND = 1_000;

/** Unit -> its length in seconds, the longest first. */
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `3 hours ago`. */
function relativeTime(at: Date): string {
  const seconds = (at.getTime() - Date.now()) / SECOND;
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return RELATIVE.format(Math.round(seconds / length), unit);
}

interface InstantProps {
  readonly at: string | null | undefined;
  /** Shows the time from now rather than the date. */
  readonly isRelative?: boolean;
}

/** A time in the zone of the reader; the exact instant is at hand by pointing at it. */
export function Instant({ at, isRelative = false }: InstantProps) {
  if (at === null || at === undefined) return <>{texts.none}</>;
  const time = new Date(at);
  return (
    <time dateTime={at} title={at}>
      {isRelative ? relativeTime(time) : time.toLocaleString()}
    </time>
  );
}
