import { lookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { promisify } from 'node:util';
import { isForbiddenJwksHost } from '../rules/index.js';
import { isAllowedJwksAddress } from './jwks-address.js';

/** Largest size of a key set in bytes. */
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** All addresses of a host name. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

export interface DownloadOptions {
  /** The limit for the whole exchange: resolution, redirects and body. */
  readonly timeoutMs: number;
  /** Whether loopback and private addresses are allowed. */
  readonly allowPrivate: boolean;
  readonly resolve: ResolveHost;
  /** Authorities (PEM) for HTTPS servers, instead of the well-known ones. */
  readonly ca?: string | undefined;
  /** Default: 5. */
  readonly maxRedirects?: number;
  /** Judges the server after its chain, instead of by its host names. */
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/** The reason of a failed download; it never repeats text of the answer. */
export class DownloadFault extends Error {
  override readonly name = 'DownloadFault';
}

const lookupAll = promisify(lookup);

/** Resolves a host with the resolver of the system. */
export const resolveHost: ResolveHost = (host) => lookupAll(host, { all: true });

/**
 * Downloads the text of an http(s) URL.
 * @throws DownloadFault
 */
export async function downloadJwks(endpoint: string, options: DownloadOptions): Promise<string> {
  const end = new AbortController();
  const timer = setTimeout(() => {
    end.abort();
  }, options.timeoutMs);
  const timeout = new Promise<never>((_, reject) => {
    end.signal.addEventListener('abort', () => {
      reject(new DownloadFault('no complete answer in time'));
    });
  });
  try {
    // A silent server may not cause an error, so the timeout is raced, too.
    return await Promise.race([exchange(endpoint, options, end.signal), timeout]);
  } catch (error) {
    throw error instanceof DownloadFault ? error : new DownloadFault('the connection failed');
  } finally {
    clearTimeout(timer);
    // Closes open connections: too large answers, bodies of redirects.
    end.abort();
  }
}

async function exchange(
  endpoint: string,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<string> {
  let url = parseUrl(endpoint);
  const { maxRedirects = MAX_REDIRECTS } = options;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await get(url, await addressesOf(url, options), options, signal);
    if (!REDIRECTS.has(response.statusCode ?? 0)) return await bodyOf(response);
    url = redirectedUrl(url, response);
  }
  throw new DownloadFault(
    maxRedirects === 0 ? 'redirected elsewhere' : `more than ${maxRedirects} redirects`,
  );
}

function parseUrl(text: string, base?: string): URL {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new DownloadFault('neither an http nor an https URL');
  }
  return url;
}

function redirectedUrl(from: URL, response: IncomingMessage): URL {
  response.destroy();
  const to = parseUrl(response.headers.location ?? '', from.href);
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new DownloadFault('redirected from https to http');
  }
  return to;
}

/** The addresses of the host; one forbidden address refuses the whole host. */
async function addressesOf(url: URL, options: DownloadOptions): Promise<LookupAddress[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isForbiddenJwksHost(host)) throw refusedAddress();
  const family = isIP(host);
  const resolved = family === 0 ? await options.resolve(host) : [{ address: host, family }];
  if (resolved.length === 0) throw new DownloadFault('the host has no address');
  if (!resolved.every(({ address }) => isAllowedJwksAddress(address, options.allowPrivate))) {
    throw refusedAddress();
  }
  return [...resolved];
}

const refusedAddress = (): DownloadFault => new DownloadFault('the address is not allowed');

function get(
  url: URL,
  addresses: LookupAddress[],
  { ca, checkServerIdentity }: DownloadOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    request(url, {
      // A pooled connection is selected by name, not by the checked addresses.
      agent: false,
      headers: { accept: 'application/jwk-set+json, application/json' },
      lookup: lookupAmong(addresses),
      signal,
      ...(ca === undefined ? {} : { ca }),
      ...(checkServerIdentity ? { checkServerIdentity } : {}),
    })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

/** Gives the checked addresses: a second resolution could give others. */
const lookupAmong =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };

async function bodyOf(response: IncomingMessage): Promise<string> {
  if (response.statusCode !== 200) {
    throw new DownloadFault(`answered with status ${response.statusCode ?? 0}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new DownloadFault(`answered with more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
