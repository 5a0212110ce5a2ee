import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/**
 * Gives the form of a host for comparisons: ASCII in lower case without a last dot, an address in its
 * shortest form, IPv4 also for mapped IPv6. Gives undefined for an invalid host.
 */
export function canonicalHost(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  // A zone belongs to one machine, and clients would read the name without it.
  if (isIP(bare) === 6) return shortestIpv6(bare.replace(/%.*$/, ''));
  const name = domainToASCII(bare.replace(/\.$/, ''));
  return name === '' ? undefined : name;
}

const IPV4_AS_IPV6 = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

function shortestIpv6(address: string): string {
  const shortest = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [, high, low] = IPV4_AS_IPV6.exec(shortest) ?? [];
  if (high === undefined || low === undefined) return shortest;
  const bytes = Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex');
  return [...bytes].join('.');
}

/** Gives the address in a certificate, undefined for bytes of another length. */
export function addressOf(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return [...bytes].join('.');
  if (bytes.length !== 16) return undefined;
  return canonicalHost((bytes.toString('hex').match(/.{4}/g) ?? []).join(':'));
}

/**
 * Gives the host of a configured address, in the form for comparisons: `tls:host:port`,
 * `tls://host:port`, `host:port` or `host`.
 */
export function hostIn(address: string): string | undefined {
  const bare = isIP(address) === 6 ? `[${address}]` : address;
  const rest = /^[^:/[\]]+:\d+$/.test(bare)
    ? bare
    : bare.replace(/^[a-z][a-z0-9+.-]*:(?:\/\/)?/i, '');
  const host = /^(\[[^\]]*\]|[^:/]*)/.exec(rest)?.[1];
  return host ? canonicalHost(host) : undefined;
}

/** Whether a host name means the local machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Hosts for which others must not get a certificate. */
export class HostNames {
  readonly #hosts: ReadonlySet<string>;
  readonly #domains: ReadonlySet<string>;

  /** Accepts any spelling; loopback names belong to every machine, so they are left out. */
  constructor(hosts: readonly string[]) {
    const canonicalHosts = hosts.flatMap((host) => canonicalHost(host) ?? []);
    this.#hosts = new Set(canonicalHosts.filter((host) => !isLoopback(host)));
    this.#domains = new Set([...this.#hosts].map(domainOf));
  }

  /** Whether clients would accept the name for one of the hosts; `*.` matches one label. */
  areCoveredBy(name: string): boolean {
    return isWildcard(name) ? this.#domains.has(domainOf(name)) : this.#hosts.has(name);
  }
}

export const isWildcard = (name: string): boolean => name.startsWith('*.');

/** Gives the part after the first label. */
export const domainOf = (name: string): string =>
  name.includes('.') ? name.slice(name.indexOf('.') + 1) : '';

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/;

/** Whether a text in lower case is a DNS name without a last dot; underscores occur in practice. */
export const isDnsName = (text: string): boolean => DNS_NAME.test(text);
