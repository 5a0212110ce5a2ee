export { qrCodePng } from './qr-code.js';
export { newRecoveryCodes, spendRecoveryCode } from './recovery-codes.js';
export {
  isTotpCode,
  newTotpSecret,
  provisioningUrl,
  verifyTotp,
  type Provisioning,
} from './totp.js';
