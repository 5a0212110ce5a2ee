import { BlockList, isIP } from 'node:net';
import { domainOf, isDnsName, isWildcard } from './host-names.js';

const RANGE = /^([^/]+)\/(\d{1,3})$/;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

interface Range {
  readonly address: string;
  readonly bits: number;
}

/** A range as `10.1.0.0/16`, or one address. */
function rangeOf(text: string): Range | undefined {
  const [, address = text, bits] = RANGE.exec(text) ?? [];
  const most = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || address.includes('%') || Number(bits ?? 0) > most) return undefined;
  return { address, bits: bits === undefined ? most : Number(bits) };
}

/** The pattern in lower case, undefined unless it is a DNS name, with `*.` or without, or a range. */
export function namePattern(text: string): string | undefined {
  const pattern = text.toLowerCase();
  if (rangeOf(pattern)) return pattern;
  // What ends in a number is an address that is not spelled as one.
  const isName =
    isDnsName(pattern.replace(/^\*\./, '')) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(pattern);
  return isName ? pattern : undefined;
}

/**
 * Whether a host is within patterns of `namePattern`. `*.` stands for one label, as in certificates,
 * so `*.a.example` also lets the name `*.a.example` itself.
 */
export function matcherOf(patterns: readonly string[]): (host: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !rangeOf(pattern)));
  const ranges = new BlockList();
  for (const { address, bits } of patterns.flatMap((pattern) => rangeOf(pattern) ?? [])) {
    ranges.addSubnet(address, bits, familyOf(address));
  }
  return (host) => {
    if (isIP(host) !== 0) return ranges.check(host, familyOf(host));
    return names.has(host) || (!isWildcard(host) && names.has(`*.${domainOf(host)}`));
  };
}
