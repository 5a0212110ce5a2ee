import { create } from 'qrcode';
import { useMemo } from 'react';

interface QrCodeProps {
  readonly text: string;
  /** For those who can not see it. */
  readonly label: string;
  /** Shown for a text that no QR code can hold. */
  readonly tooLong: string;
}

interface Squares {
  readonly size: number;
  readonly path: string;
}

/** The border that readers need. */
const BORDER = 4;

/** Draws a text as a QR code. */
export function QrDrawing({ text, label, tooLong }: QrCodeProps) {
  const squares = useMemo(() => squaresOf(text), [text]);
  if (!squares) return <div className="notice warn">{tooLong}</div>;
  const width = squares.size + 2 * BORDER;
  const start = String(-BORDER);
  return (
    <svg
      className="qr"
      role="img"
      aria-label={label}
      viewBox={`${start} ${start} ${String(width)} ${String(width)}`}
      shapeRendering="crispEdges"
    >
      <path d={squares.path} />
    </svg>
  );
}

/** Gives the dark squares; undefined for a text that is too long. */
function squaresOf(text: string): Squares | undefined {
  try {
    const { size, data } = create(text, { errorCorrectionLevel: 'L' }).modules;
    const dark = Array.from(data).flatMap((bit, i) =>
      bit === 0 ? [] : `M${String(i % size)} ${String(Math.floor(i / size))}h1v1h-1z`,
    );
    return { size, path: dark.join('') };
  } catch {
    return undefined;
  }
}
