/** A name or an address without brackets, and a port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, with an IPv6 address in brackets. */
export const hostPortText = ({ host, port }: HostAndPort): string =>
  `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;

/** Reads what `hostPortText` gives; undefined for another text. */
export function hostPortOf(text: string): HostAndPort | undefined {
  const [, host = '', port] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  return port === undefined ? undefined : { host, port: Number(port) };
}
