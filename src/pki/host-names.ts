import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/**
 * A host in the one form that names are compared in: ASCII in lower case without a last dot, an
 * address in its shortest form, IPv4 also where it is written as IPv6. Undefined for no host at all.
 */
export function canonicalHost(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  // A zone is of one machine alone; the name would be read without it.
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

/** The address in a certificate, undefined when it has the length of neither kind. */
export function addressOf(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return [...bytes].join('.');
  if (bytes.length !== 16) return undefined;
  return canonicalHost((bytes.toString('hex').match(/.{4}/g) ?? []).join(':'));
}

/**
 * The host of an address as configurations have it, in the form that names are compared in:
 * `tls:host:port`, `tls://host:port`, `host:port` or `host`.
 */
export function hostIn(address: string): string | undefined {
  const bare = isIP(address) === 6 ? `[${address}]` : address;
  const rest = /^[^:/[\]]+:\d+$/.test(bare)
    ? bare
    : bare.replace(/^[a-z][a-z0-9+.-]*:(?:\/\/)?/i, '');
  const host = /^(\[[^\]]*\]|[^:/]*)/.exec(rest)?.[1];
  return host ? canonicalHost(host) : undefined;
}

/** Whether a host is the machine itself, whichever that is. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Hosts, none of which somebody else shall get a certificate for. */
export class HostNames {
  readonly #hosts: ReadonlySet<string>;
  readonly #domains: ReadonlySet<string>;

  /** In any spelling; loopback names are those of everybody, and kept by nobody. */
  constructor(hosts: readonly string[]) {
    const own = hosts.flatMap((host) => canonicalHost(host) ?? []);
    this.#hosts = new Set(own.filter((host) => !isLoopback(host)));
    this.#domains = new Set([...this.#hosts].map(domainOf));
  }

  /** Whether clients take who has the name for one of them; `*.` stands for one label. */
  areCoveredBy(name: string): boolean {
    return isWildcard(name) ? this.#domains.has(domainOf(name)) : this.#hosts.has(name);
  }
}

export const isWildcard = (name: string): boolean => name.startsWith('*.');

/** What is behind the first label. */
export const domainOf = (name: string): string =>
  name.includes('.') ? name.slice(name.indexOf('.') + 1) : '';

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/;

/** Whether a text in lower case is a DNS name without a last dot; underscores occur in practice. */
export const isDnsName = (text: string): boolean => DNS_NAME.test(text);
