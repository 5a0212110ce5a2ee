import { attribute, map, text, type RestShape } from '../../kernel/declare/attribute.js';

/** The address of an interface for one protocol. */
export class ProtocolAddress {
  @attribute(text(), { description: 'The protocol.' })
  protocol!: string;

  @attribute(text(), { description: 'The address.' })
  address!: string;
}

export const protocolAddresses = (
  addresses: Readonly<Record<string, string>> = {},
): ProtocolAddress[] =>
  Object.entries(addresses).map(([protocol, address]) => ({ protocol, address }));

/** REST clients find addresses by their protocols. */
export const addressesByProtocol = (addresses: readonly ProtocolAddress[]): object =>
  Object.fromEntries(addresses.map(({ protocol, address }) => [protocol, address]));

export const BY_PROTOCOL: RestShape = { type: map(), of: addressesByProtocol };
