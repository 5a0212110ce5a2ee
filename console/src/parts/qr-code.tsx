import { useEffect, useState } from 'react';

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
export function QrCode({ text, label, tooLong }: QrCodeProps) {
  const squares = useSquares(text);
  if (squares === 'too long') return <div className="notice warn">{tooLong}</div>;
  if (!squares) return null;
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

function useSquares(text: string): Squares | 'too long' | undefined {
  const [squares, setSquares] = useState<Squares | 'too long'>();
  useEffect(() => {
    let isWanted = true;
    void squaresOf(text).then((drawn) => {
      if (isWanted) setSquares(drawn);
    });
    return () => {
      isWanted = false;
    };
  }, [text]);
  return squares;
}

/** Reads the dark squares from the library, which is loaded for the first code. */
async function squaresOf(text: string): Promise<Squares | 'too long'> {
  const { create } = await import('qrcode');
  try {
    const { size, data } = create(text, { errorCorrectionLevel: 'L' }).modules;
    const dark = Array.from(data).flatMap((bit, i) =>
      bit === 0 ? [] : `M${String(i % size)} ${String(Math.floor(i / size))}h1v1h-1z`,
    );
    return { size, path: dark.join('') };
  } catch {
    return 'too long';
  }
}
