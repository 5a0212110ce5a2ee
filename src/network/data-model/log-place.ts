import type { Cursor } from '../../kernel/request/store-port.js';

/* Places of the change log: the epoch, the transaction and the place within it, in hexadecimal digits. */

const EPOCH_DIGITS = 4;
const XID_DIGITS = 16;
const SEQ_DIGITS = 16;
const TRANSACTION_DIGITS = EPOCH_DIGITS + XID_DIGITS;

/** The number of the transaction at a place. */
export const transactionAt = (place: Cursor): number =>
  Number.parseInt(place.slice(EPOCH_DIGITS, TRANSACTION_DIGITS), 16);

/** The place behind all changes of a transaction, of the same epoch as another place. */
export const endOfTransaction = (transaction: number, place: Cursor): Cursor =>
  place.slice(0, EPOCH_DIGITS) +
  transaction.toString(16).padStart(XID_DIGITS, '0') +
  'f'.repeat(SEQ_DIGITS);
