import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** The path below which the provider is served. */
export const OIDC_PATH = '/oidc';

export interface IssuerOptions {
  /** The certificate that clients see. */
  readonly certificate: () => Pick<X509Certificate, 'checkHost' | 'checkIP'>;
  /** Further names by which clients reach the controller, in lower case; for proxies that end TLS. */
  readonly hosts: readonly string[];
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?$/i;

/**
 * The issuer that a request addresses: the host of the request as written, if clients can reach this
 * controller by it. Clients compare the issuer with the address that they were given, as text.
 */
export function issuerOf(
  host: string | undefined,
  { certificate, hosts }: IssuerOptions,
): string | undefined {
  const [, name] = HOST.exec(host ?? '') ?? [];
  if (host === undefined || name === undefined) return undefined;
  const plain = name.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const isOwn = hosts.includes(plain) || isNameOf(certificate(), plain);
  return isOwn && isAddress(host) ? `https://${host}${OIDC_PATH}` : undefined;
}

/** Whether clients can connect to a host: it has a port between 1 and 65535, and a name in valid punycode. */
const isAddress = (host: string): boolean =>
  URL.canParse(`https://${host}`) && new URL(`https://${host}`).port !== '0';

const isNameOf = (
  certificate: Pick<X509Certificate, 'checkHost' | 'checkIP'>,
  name: string,
): boolean =>
  isIP(name) === 0
    ? certificate.checkHost(name, { subject: 'never' }) !== undefined
    : certificate.checkIP(name) !== undefined;
