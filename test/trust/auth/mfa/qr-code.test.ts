import { describe, expect, it } from '@jest/globals';
import { newTotpSecret, provisioningUrl, qrCodePng } from '../../../../src/trust/auth/mfa/index.js';

describe('the QR code', () => {
  it.each(['a', 'a name that is a good deal longer than most of them, and then some more of it'])(
    'of %j is a PNG of 256 by 256 pixels',
    async (account) => {
      const url = provisioningUrl({ issuer: 'openziti.io', account, secret: newTotpSecret() });
      const png = await qrCodePng(url);
      expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([256, 256]);
    },
  );
});
