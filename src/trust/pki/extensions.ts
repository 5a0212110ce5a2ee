import { DerError, derMembers, derValue, derValues, expectTag, Tag, type DerValue } from './der.js';

/** Object identifiers as the hex of their encoded contents. */
export const ExtensionId = {
  /** 2.5.29.15 */
  keyUsage: '551d0f',
  /** 2.5.29.17 */
  subjectAltName: '551d11',
  /** 2.5.29.19 */
  basicConstraints: '551d13',
  /** 2.5.29.30 */
  nameConstraints: '551d1e',
  /** 2.5.29.32 */
  certificatePolicies: '551d20',
  /** 2.5.29.37 */
  extendedKeyUsage: '551d25',
} as const;

export interface ExtensionValue {
  readonly critical: boolean;
  /** The contents of `extnValue`, which is another encoding. */
  readonly value: Buffer;
}

/** By identifier. None may occur twice (RFC 5280 4.2): readers could use different ones. */
export type Extensions = ReadonlyMap<string, ExtensionValue>;

/** Reads the SEQUENCE OF Extension of a certificate or a request. */
export function readExtensions(sequence: DerValue | undefined): Extensions {
  const extensions = new Map<string, ExtensionValue>();
  for (const extension of derMembers(sequence, Tag.sequence)) {
    const [id, ...rest] = derMembers(extension, Tag.sequence);
    const oid = expectTag(id, Tag.objectIdentifier).content.toString('hex');
    const flag = rest[0]?.tag === Tag.boolean ? rest.shift() : undefined;
    const value = expectTag(rest[0], Tag.octetString).content;
    if (rest.length !== 1 || extensions.has(oid)) throw new DerError('bad extension');
    extensions.set(oid, {
      critical: flag?.content[0] !== undefined && flag.content[0] !== 0,
      value,
    });
  }
  return extensions;
}

/** Forms of a GeneralName by their tag (RFC 5280 4.2.1.6). */
export const NameForm = { email: 0x81, dns: 0x82, directory: 0xa4, uri: 0x86, ip: 0x87 } as const;

/** Alternative names of a subject, in the order of the certificate. */
export interface AlternativeNames {
  readonly uris: readonly string[];
  readonly emails: readonly string[];
  /** The names as written; some may be no valid host names. */
  readonly dnsNames: readonly string[];
  /** IP addresses as bytes. */
  readonly addresses: readonly Buffer[];
  /** The tags of all names, also of names that are not read. */
  readonly forms: ReadonlySet<number>;
}

/**
 * Reads the names from their encoding, never from a rendered text: a comma or a quote inside a name
 * makes two of one there (CVE-2021-44532).
 */
export function readAlternativeNames(extensions: Extensions): AlternativeNames {
  const extension = extensions.get(ExtensionId.subjectAltName);
  const names = extension ? derMembers(derValue(extension.value, Tag.sequence), Tag.sequence) : [];
  return {
    uris: textsOf(names, NameForm.uri),
    emails: textsOf(names, NameForm.email),
    dnsNames: contentsOf(names, NameForm.dns).map((content) => content.toString('latin1')),
    addresses: contentsOf(names, NameForm.ip),
    forms: new Set(names.map(({ tag }) => tag)),
  };
}

const contentsOf = (names: readonly DerValue[], form: number): Buffer[] =>
  names.filter(({ tag }) => tag === form).map(({ content }) => content);

const textsOf = (names: readonly DerValue[], form: number): string[] =>
  contentsOf(names, form).map(ia5);

function ia5(content: Buffer): string {
  if (content.some((byte) => byte > 0x7f)) throw new DerError('a name beyond ASCII');
  return content.toString('latin1');
}

/** Whether the key may sign certificates; undefined without the extension. */
export function maySignCertificates(extensions: Extensions): boolean | undefined {
  const extension = extensions.get(ExtensionId.keyUsage);
  if (!extension) return undefined;
  const bits = derValue(extension.value, Tag.bitString).content;
  // The first byte counts unused bits; keyCertSign is bit 5 (RFC 5280 4.2.1.3).
  return ((bits[1] ?? 0) & 0x04) !== 0;
}

/** Whether the key signs data, and neither certificates nor lists of revoked ones (RFC 5280 4.2.1.3). */
export function signsDataAlone(extensions: Extensions): boolean {
  const extension = extensions.get(ExtensionId.keyUsage);
  const bits = extension ? (derValue(extension.value, Tag.bitString).content[1] ?? 0) : 0;
  return (bits & 0x80) !== 0 && (bits & 0x06) === 0;
}

/** Whether the certificate belongs to an authority, by either of the two extensions. */
export function isAuthority(extensions: Extensions): boolean {
  const extension = extensions.get(ExtensionId.basicConstraints);
  const [flag] = extension ? derMembers(derValue(extension.value, Tag.sequence), Tag.sequence) : [];
  const isCa = flag?.tag === Tag.boolean && flag.content[0] !== 0;
  return isCa || maySignCertificates(extensions) === true;
}

/** Gives the number of intermediates allowed below a CA; undefined without a limit. */
export function pathLimit(extensions: Extensions): number | undefined {
  const extension = extensions.get(ExtensionId.basicConstraints);
  const members = extension
    ? derMembers(derValue(extension.value, Tag.sequence), Tag.sequence)
    : [];
  const limit = members.find(({ tag }) => tag === Tag.integer)?.content;
  if (limit === undefined) return undefined;
  if (limit.length === 0 || (limit[0] ?? 0) > 0x7f) throw new DerError('a negative path length');
  return limit.length > 4 ? undefined : limit.readUIntBE(0, limit.length);
}

const PERMITTED_OR_EXCLUDED: readonly number[] = [0xa0, 0xa1];

/** Gives the forms of names that a CA constrains, by permitting or by excluding. */
export function constrainedForms(extensions: Extensions): ReadonlySet<number> {
  const extension = extensions.get(ExtensionId.nameConstraints);
  const lists = extension ? derMembers(derValue(extension.value, Tag.sequence), Tag.sequence) : [];
  if (lists.some(({ tag }) => !PERMITTED_OR_EXCLUDED.includes(tag))) throw new DerError('bad list');
  const subtrees = lists.flatMap(({ content }) => derValues(content));
  return new Set(subtrees.map((subtree) => derMembers(subtree, Tag.sequence)[0]?.tag ?? 0));
}
