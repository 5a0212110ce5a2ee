import { ApiError } from '../base/errors.js';
import { isObject, type JsonObject } from '../base/row.js';
import type { Transaction } from '../kernel/request/store-port.js';
import {
  hostIn,
  HostNames,
  hostNamesIn,
  matcherOf,
  parseCertificatePem,
  type RouterNameRule,
} from '../pki/index.js';
import { controllerAddresses } from './controller-table.js';
import { addressesOfOtherRouters, type RouterAddressRow } from './router-table.js';

export interface RouterNameSettings {
  /** Where this controller listens, and what it advertises. */
  readonly ownHosts: readonly string[];
  /** What routers may be called, as `namePattern` gives it; undefined without a limit. */
  readonly patterns: readonly string[] | undefined;
}

/**
 * What a router may not be certified as: what any controller of the network is reached by, whether it
 * runs or not, and what other routers tell their clients.
 */
export async function routerNameRule(
  tx: Transaction,
  { ownHosts, patterns }: RouterNameSettings,
  routerId: string,
): Promise<RouterNameRule> {
  const controllers = new HostNames([...ownHosts, ...(await controllerHosts(tx))]);
  const routers = new HostNames(await hostsOfOthers(tx, routerId));
  return {
    ownerOf: (host) => {
      if (controllers.areCoveredBy(host)) return 'a controller';
      return routers.areCoveredBy(host) ? 'another router' : undefined;
    },
    isPermitted: patterns === undefined ? () => true : matcherOf(patterns),
  };
}

/**
 * Addresses that are listened on are names in generated certificates. Names with `*.` in configured
 * ones are left out: they are those of a whole domain, of which the controller has one.
 */
async function controllerHosts(tx: Transaction): Promise<string[]> {
  const rows = await controllerAddresses(tx);
  return rows.flatMap((row) => [
    ...hostsIn([row.ctrl_address, ...urlsIn(row.api_addresses)]),
    ...certifiedHosts(row.cert_pem),
  ]);
}

/** None where it can not be read, so that one bad row does not stop routers from joining. */
function certifiedHosts(pem: string): readonly string[] {
  try {
    return hostNamesIn(parseCertificatePem(pem)[0]);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** An interface has several addresses, each with its URL. */
const urlsIn = (addresses: JsonObject): unknown[] =>
  Object.values(addresses)
    .flat()
    .map((address) => (isObject(address) ? address.url : undefined));

async function hostsOfOthers(tx: Transaction, routerId: string): Promise<string[]> {
  const rows = await addressesOfOtherRouters(tx, routerId);
  return rows.flatMap(advertisedHosts);
}

const advertisedHosts = (row: RouterAddressRow): string[] =>
  hostsIn([
    row.hostname,
    ...Object.values(row.listeners ?? {}),
    ...(row.link_listeners ?? []).map(({ address }) => address),
    ...Object.keys(row.ctrl_chan_listeners),
  ]);

const hostsIn = (addresses: readonly unknown[]): string[] =>
  addresses.flatMap((address) => (typeof address === 'string' ? (hostIn(address) ?? []) : []));
