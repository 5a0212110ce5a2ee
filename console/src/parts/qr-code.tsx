import { lazyPart } from './lazy-part.js';

/** Shows a text as a QR code, with a library that is loaded for the first one. */
export const QrCode = lazyPart(async () => (await import('./qr-drawing.js')).QrDrawing);
