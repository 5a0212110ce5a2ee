interface Bar {
  readonly key: string;
  readonly value: number;
  /** Tells the value. */
  readonly title: string;
}

const HEIGHT = 64;
const WIDTH = 240;

/** Values beside each other; a table below them has to tell the same. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const width = WIDTH / Math.max(bars.length, 1);
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map(({ key, value, title }, i) => {
        const height = (HEIGHT * value) / most;
        return (
          <rect key={key} x={i * width} y={HEIGHT - height} width={width * 0.8} height={height}>
            <title>{title}</title>
          </rect>
        );
      })}
    </svg>
  );
}
