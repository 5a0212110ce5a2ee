import { BlockList, isIP } from 'node:net';

/**
 * Link-local addresses, and those at which clouds hand out credentials to any program inside. A key
 * set is never fetched from there, whatever the configuration allows.
 */
const forbidden = new BlockList();
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addSubnet('fe80::', 10, 'ipv6');
/** The same reached through NAT64 (RFC 6052). */
forbidden.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
/** Amazon, Alibaba, Azure. */
forbidden.addAddress('fd00:ec2::254', 'ipv6');
forbidden.addAddress('100.100.100.200', 'ipv4');
forbidden.addAddress('168.63.129.16', 'ipv4');

const FORBIDDEN_NAMES = new Set(['metadata.google.internal', 'metadata', 'instance-data']);

/** Whether a host (name, IPv4, or IPv6 with or without brackets) is one no key set is fetched from. */
export function isForbiddenJwksHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  const version = isIP(name);
  if (version === 0) return FORBIDDEN_NAMES.has(name);
  return forbidden.check(name, version === 4 ? 'ipv4' : 'ipv6');
}

/** Why a key set can not be fetched from there, if so. The URL parser undoes disguises of IPv4. */
export function jwksEndpointFault(endpoint: string): string | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return 'must be an http or https URL';
  }
  return isForbiddenJwksHost(url.hostname)
    ? 'must not be a link-local or metadata address'
    : undefined;
}
