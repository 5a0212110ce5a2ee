import { certificateFields } from './certificate-fields.js';
import { derMembers, ifDer, Tag, type DerValue } from './der.js';

/** 2.5.4.3 */
const COMMON_NAME = '550403';

const SUBJECT = 4;

/** Of each kind of text in a name (X.680 41), what its bytes are. */
const ENCODINGS: ReadonlyMap<number, string> = new Map([
  ...[0x0c, 0x12, 0x13, 0x16, 0x1a].map((tag) => [tag, 'utf-8'] as const),
  [0x14, 'latin1'],
  [0x1e, 'utf-16be'],
]);

/**
 * Gives the common name in the subject of a certificate (RFC 5280 4.1.2.6), the last one of several, and
 * `''` without one that is a text. Own code reads it, since `toLegacyObject` of Node 24 ends the process
 * for a certificate with a key that can not be decoded.
 */
export const commonNameIn = (certificate: Buffer): string =>
  ifDer(() => {
    const sets = derMembers(certificateFields(certificate)[SUBJECT], Tag.sequence);
    const attributes = sets.flatMap((set) => derMembers(set, Tag.set));
    const names = attributes
      .map((attribute) => derMembers(attribute, Tag.sequence))
      .filter(([type]) => type?.content.toString('hex') === COMMON_NAME);
    return textOf(names.at(-1)?.[1]);
  }) ?? '';

function textOf(value: DerValue | undefined): string {
  const encoding = value && ENCODINGS.get(value.tag);
  if (encoding === undefined) return '';
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(value?.content);
  } catch (error) {
    if (error instanceof TypeError) return '';
    throw error;
  }
}
