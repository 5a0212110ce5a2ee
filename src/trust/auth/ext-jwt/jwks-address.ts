import { BlockList, isIP, isIPv4 } from 'node:net';
import { isForbiddenJwksHost } from '../rules/index.js';

type Subnet = readonly [network: string, prefix: number];

const listOf = (family: 'ipv4' | 'ipv6', subnets: readonly Subnet[]): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
};

/** Loopback, private networks, and networks for carriers, benchmarks and documentation. */
const PRIVATE_V4 = listOf('ipv4', [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
]);
/** Unspecified ("this network"), multicast, reserved and broadcast: no host has such an address. */
const NON_HOST_V4 = listOf('ipv4', [
  ['0.0.0.0', 8],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]);
const PRIVATE_V6 = listOf('ipv6', [
  ['::1', 128],
  ['fc00::', 7],
  ['2001:db8::', 32],
]);
/** Tunnel addresses that can contain any IPv4 address: Teredo and 6to4. */
const TUNNELS_V6 = listOf('ipv6', [
  ['2001::', 32],
  ['2002::', 16],
]);
/** All publicly routed addresses. */
const GLOBAL_V6 = listOf('ipv6', [['2000::', 3]]);

/** IPv4 inside IPv6 as the URL parser writes it: mapped (RFC 4291 2.5.5.2) or NAT64 (RFC 6052 2.1). */
const EMBEDDED_V4 = /^\[(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})\]$/;

function embeddedV4(address: string): string | undefined {
  const [, high = '0', low] = EMBEDDED_V4.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (low === undefined) return undefined;
  const [upper, lower] = [parseInt(high, 16), parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.');
}

function isAllowedV4(address: string, allowPrivate: boolean): boolean {
  if (isForbiddenJwksHost(address) || NON_HOST_V4.check(address, 'ipv4')) return false;
  return allowPrivate || !PRIVATE_V4.check(address, 'ipv4');
}

function isAllowedV6(address: string, allowPrivate: boolean): boolean {
  if (isForbiddenJwksHost(address)) return false;
  const inner = embeddedV4(address);
  if (inner !== undefined) return isAllowedV4(inner, allowPrivate);
  if (PRIVATE_V6.check(address, 'ipv6')) return allowPrivate;
  return GLOBAL_V6.check(address, 'ipv6') && !TUNNELS_V6.check(address, 'ipv6');
}

/**
 * Whether key sets may be fetched from an IP address: never from link-local, metadata, multicast
 * and unspecified addresses; from private ones if allowed. A text that is not an IP address is
 * refused.
 */
export function isAllowedJwksAddress(address: string, allowPrivate: boolean): boolean {
  // A zone does not change the kind of an address, and the lists do not support zones.
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return false;
  return isIPv4(bare) ? isAllowedV4(bare, allowPrivate) : isAllowedV6(bare, allowPrivate);
}
