import type { X509Certificate } from 'node:crypto';
import forge from 'node-forge';
import { distinct } from './certificate.js';

const { asn1, pki } = forge;
const { Class, Type } = asn1;

/** The bit of an identifier octet that says that the contents are values themselves (X.690 8.1.2.5). */
const CONSTRUCTED: number = 0x20;

/**
 * Gives the CA certificates as a certs-only PKCS#7 (RFC 5652 5.1, RFC 7030 4.1.3): base64 of the DER
 * in lines of 64 characters, without armour and without a newline at the end.
 */
export function caBundlePkcs7(certificates: readonly X509Certificate[]): string {
  const authorities = distinct(certificates.filter((certificate) => certificate.ca));
  const members = authorities.sort(byPlace).map(({ raw }) => raw);
  const signedData = sequence(
    asn1.create(Class.UNIVERSAL, Type.INTEGER, false, asn1.integerToDer(1).getBytes()),
    emptySet(),
    sequence(objectIdentifier('data')),
    unchanged(Buffer.concat(members)),
    emptySet(),
  );
  const contentInfo = sequence(
    objectIdentifier('signedData'),
    asn1.create(Class.CONTEXT_SPECIFIC, Type.NONE, true, [signedData]),
  );
  const der = Buffer.from(asn1.toDer(contentInfo).getBytes(), 'latin1');
  return (der.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
}

/**
 * The order of bytes, so that all controllers give the same. DER asks for it in the whole set (X.690 11.6), but
 * roots come last: clients keep the bundle as a file in this order, and C SDKs 1.18.4 to 1.18.10 lose the first
 * certificate of a file that the Go command line wrote. Without the root they trust no controller.
 */
const byPlace = (a: X509Certificate, b: X509Certificate): number =>
  Number(isRoot(a)) - Number(isRoot(b)) || Buffer.compare(a.raw, b.raw);

const isRoot = (authority: X509Certificate): boolean => authority.checkIssued(authority);

const sequence = (...members: forge.asn1.Asn1[]): forge.asn1.Asn1 =>
  asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, members);

const emptySet = (): forge.asn1.Asn1 => asn1.create(Class.UNIVERSAL, Type.SET, true, []);

const objectIdentifier = (name: 'data' | 'signedData'): forge.asn1.Asn1 =>
  asn1.create(Class.UNIVERSAL, Type.OID, false, asn1.oidToDer(pki.oids[name] ?? '').getBytes());

/** The certificates as they are: read and written again they could differ in bytes that a signature covers. */
const unchanged = (members: Buffer): forge.asn1.Asn1 =>
  // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the library sets this bit only around values of its own
  asn1.create(Class.CONTEXT_SPECIFIC, CONSTRUCTED, false, members.toString('latin1'));
