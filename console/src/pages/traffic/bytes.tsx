import { texts } from '../../texts.js';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'];
const STEP = 1_000;

const FORMATS = UNITS.map(
  (unit) =>
    new Intl.NumberFormat(undefined, {
      style: 'unit',
      unit,
      unitDisplay: unit === 'byte' ? 'long' : 'short',
      maximumFractionDigits: 1,
    }),
);

/** `1.2 GB`. */
export function textOfBytes(count: number): string {
  let [unit, value] = [0, count];
  for (; value >= STEP && unit < FORMATS.length - 1; unit += 1) value /= STEP;
  return FORMATS[unit]?.format(value) ?? String(count);
}

/** A number of bytes in short; the exact one is at hand by pointing at it. */
export const Bytes = ({ count }: { count: number }) => (
  <span className="number" title={texts.traffic.exactBytes(count)}>
    {textOfBytes(count)}
  </span>
);
