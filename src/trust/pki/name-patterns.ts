import { BlockList, isIP } from 'node:net';
import { domainOf, isDnsName, isWildcard } from './host-names.js';

const RANGE = /^([^/]+)\/(\d{1,3})$/;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

interface Range {
  readonly address: string;
  readonly bits: number;
}

/** A range such as `10.1.0.0/16`, or one address. */
function rangeOf(text: string): Range | undefined {
  const [, address = text, bits] = RANGE.exec(text) ?? [];
  const most = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || address.includes('%') || Number(bits ?? 0) > most) return undefined;
  return { address, bits: bits === undefined ? most : Number(bits) };
}

/** Gives the pattern in lower case, undefined unless it is a DNS name, perhaps with `*.`, or a range. */
export function namePattern(text: string): string | undefined {
  const pattern = text.toLowerCase();
  if (rangeOf(pattern)) return pattern;
  // A name with a number at its end is a misspelt address.
  const isName =
    isDnsName(pattern.replace(/^\*\./, '')) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(pattern);
  return isName ? pattern : undefined;
}

/**
 * Whether a host matches patterns of `namePattern`. `*.` matches one label, as in certificates, so
 * `*.a.example` also matches the name `*.a.example` itself.
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
