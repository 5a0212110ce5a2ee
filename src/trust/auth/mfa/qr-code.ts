import { toBuffer } from 'qrcode';

/** Gives 256 pixels, since the library multiplies, divides and rounds the size down. */
const WIDTH = 256.5;

/** A PNG of 256 pixels that shows a text as a QR code of medium error correction. */
export const qrCodePng = (text: string): Promise<Buffer> =>
  toBuffer(text, { type: 'png', width: WIDTH, errorCorrectionLevel: 'M' });
