import type { X509Certificate } from 'node:crypto';
import { distinct } from './certificate.js';

const SEQUENCE = 0x30;
const SET = 0x31;
const CONTEXT_0 = 0xa0;
const VERSION_1 = Buffer.from([0x02, 0x01, 0x01]);
/** 1.2.840.113549.1.7.1 */
const ID_DATA = Buffer.from('06092a864886f70d010701', 'hex');
/** 1.2.840.113549.1.7.2 */
const ID_SIGNED_DATA = Buffer.from('06092a864886f70d010702', 'hex');

/**
 * The CA certificates among those given as a certs-only PKCS#7 (RFC 5652 5.1, RFC 7030 4.1.3): base64
 * of the DER in lines of 64 characters, without armour and without a newline at the end.
 * Encoded here around the raw certificates, because decoding and encoding them again could change
 * bytes that a signature covers.
 */
export function caBundlePkcs7(certificates: readonly X509Certificate[]): string {
  const authorities = distinct(certificates.filter((certificate) => certificate.ca));
  // DER wants the members of a SET OF in ascending order (X.690 11.6).
  const members = authorities.map(({ raw }) => raw).sort((a, b) => Buffer.compare(a, b));
  const signedData = der(
    SEQUENCE,
    VERSION_1,
    der(SET),
    der(SEQUENCE, ID_DATA),
    der(CONTEXT_0, ...members),
    der(SET),
  );
  const contentInfo = der(SEQUENCE, ID_SIGNED_DATA, der(CONTEXT_0, signedData));
  return (contentInfo.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
}

function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), derLength(body.length), body]);
}

function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}
