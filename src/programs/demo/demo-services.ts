import { creation, idOf, type Change } from './demo-change.js';
import { addressOf } from './sites.js';

/** The configs of a service: clients catch its address, and a server sends it on. */
const CONFIG_TYPES = { intercept: 'g7cIWbcGg', host: 'NH5p4FpGR' };

export interface ServiceOrder {
  readonly name: string;
  readonly roleAttributes: readonly string[];
  readonly port?: number;
  readonly tags?: object;
}

/** Gives the address where a service runs: always the same for the same service. */
export function serverOf(service: string, move = 0): string {
  const sum =
    Array.from(service).reduce((total, letter) => total * 31 + letter.charCodeAt(0), 0) % 62_500;
  return `10.${20 + move}.${Math.floor(sum / 250)}.${(sum % 250) + 1}`;
}

export const hostConfigOf = (service: string): string => idOf('config', `${service} host`);

export const hostData = (address: string, port: number): object => ({
  protocol: 'tcp',
  address,
  port,
});

/** Gives the creation of a service with its two configs. */
export function serviceWithConfigs(order: ServiceOrder): Change[] {
  const { name, roleAttributes, port = 443, tags = {} } = order;
  const intercept = creation('config', `${name} intercept`, {
    configTypeId: CONFIG_TYPES.intercept,
    data: {
      protocols: ['tcp'],
      addresses: [addressOf(name)],
      portRanges: [{ low: port, high: port }],
    },
  });
  const host = creation('config', `${name} host`, {
    configTypeId: CONFIG_TYPES.host,
    data: hostData(serverOf(name), port),
  });
  const service = creation('service', name, {
    encryptionRequired: true,
    roleAttributes,
    configs: [intercept.id, host.id],
    tags,
  });
  return [intercept, host, service];
}
