import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { StartError } from '../../base/start-error.js';
import { isDnsName } from './host-names.js';

/** The names of the server certificate. */
export interface ServerNames {
  readonly dns: readonly string[];
  readonly ips: readonly string[];
}

/** The names for clients on the same machine. */
export const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1'];
/** Clients can not connect to the unspecified address. */
const UNSPECIFIED = new Set(['', '0.0.0.0', '::']);
const TRUST_DOMAIN = /^[a-z0-9._-]{1,255}$/;
const CONTROLLER_URI = /URI:(spiffe:\/\/[^/",]+\/controller\/([^/",]+))/;

/** The hosts (IPv6 with or without brackets) sorted by kind, each once. */
export function serverNames(hosts: readonly string[]): ServerNames {
  const plain = hosts
    .map((host) => host.replace(/^\[(.*)\]$/, '$1').toLowerCase())
    .filter((host) => !UNSPECIFIED.has(host));
  const names = [...new Set(plain)];
  const dns = names.filter((host) => isIP(host) === 0);
  const bad = dns.find((host) => !isDnsName(host));
  if (bad !== undefined) {
    throw new StartError(
      `"${bad}" is not a host name that a certificate can carry`,
      'set OVERGRAPH_ADVERTISE and OVERGRAPH_HOST to DNS names or IP addresses',
    );
  }
  return { dns, ips: names.filter((host) => isIP(host) !== 0) };
}

/** Whether clients accept the certificate for all names; the common name does not count. */
export const covers = (certificate: X509Certificate, names: ServerNames): boolean =>
  names.dns.every((host) => certificate.checkHost(host, { subject: 'never' }) !== undefined) &&
  names.ips.every((address) => certificate.checkIP(address) !== undefined);

/** Gives the SPIFFE name of a controller and its id, if the certificate has one. */
export function controllerUri(
  certificate: X509Certificate,
): { uri: string; id: string } | undefined {
  const match = CONTROLLER_URI.exec(certificate.subjectAltName ?? '');
  return match?.[1] && match[2] ? { uri: match[1], id: match[2] } : undefined;
}

/** A configured trust domain with or without its scheme, checked against SPIFFE-ID 2.1. */
export function trustDomainName(configured: string): string {
  const name = configured.replace(/^spiffe:\/\//, '');
  if (TRUST_DOMAIN.test(name)) return name;
  throw new StartError(
    `"${configured}" is not a SPIFFE trust domain`,
    'set OVERGRAPH_TRUST_DOMAIN to lower-case letters, digits, dots, dashes and underscores',
  );
}
