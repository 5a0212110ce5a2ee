import { toBuffer } from 'qrcode';

/** A PNG of 256 pixels that shows a text as a QR code of medium error correction. */
export const qrCodePng = (text: string): Promise<Buffer> =>
  toBuffer(text, { type: 'png', width: 256, errorCorrectionLevel: 'M' });
