import { isIP } from 'node:net';
import { hostPortText, type HostAndPort } from '../base/host-port.js';
import { Refusal, wholeNumber } from './config-numbers.js';

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?$/i;

export function host(text: string): string {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(bare) === 0 && !HOST_NAME.test(bare)) {
    throw new Refusal(`"${text}" is not a host name or an address`);
  }
  return bare;
}

export function hostPort(text: string): HostAndPort {
  const colon = text.lastIndexOf(':');
  const bareIpv6 = isIP(text) === 6;
  if (colon < 1 || bareIpv6) throw new Refusal(`"${text}" is not host:port`);
  const port = wholeNumber(text.slice(colon + 1), 65_535);
  if (port === 0) throw new Refusal(`"${text}" has port 0`);
  return { host: host(text.slice(0, colon)), port };
}

export function ctrlAddress(text: string): string {
  if (!text.startsWith('tls:')) throw new Refusal(`"${text}" does not begin with tls:`);
  hostPort(text.slice('tls:'.length));
  return text;
}

/** Of a controller that listens on all addresses, clients know one. */
export function peerAddress(listen: HostAndPort, advertise: HostAndPort): string | undefined {
  const host = ['0.0.0.0', '::'].includes(listen.host) ? advertise.host : listen.host;
  return listen.port === 0 ? undefined : hostPortText({ host, port: listen.port });
}
