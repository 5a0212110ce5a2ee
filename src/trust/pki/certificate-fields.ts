import { derMembers, derValue, Tag, type DerValue } from './der.js';

const VERSION_FIELD = 0xa0;

/**
 * Gives the fields of a certificate (RFC 5280 4.1) without its version: serial number, signature, issuer,
 * validity, subject, public key, and those that it need not have.
 * @throws DerError
 */
export function certificateFields(certificate: Buffer): DerValue[] {
  const [body] = derMembers(derValue(certificate, Tag.sequence), Tag.sequence);
  const fields = derMembers(body, Tag.sequence);
  return fields[0]?.tag === VERSION_FIELD ? fields.slice(1) : fields;
}
