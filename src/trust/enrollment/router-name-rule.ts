import { ApiError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/row.js';
import { controllers as networkControllers } from '../../data/rows/controller/index.js';
import { routers, type RouterAddresses } from '../../data/rows/router/index.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import {
  hostIn,
  HostNames,
  hostNamesIn,
  matcherOf,
  parseCertificatePem,
  type RouterNameRule,
} from '../pki/index.js';

export interface RouterNameSettings {
  /** The hosts where this controller listens, and those that it advertises. */
  readonly ownHosts: readonly string[];
  /** The allowed names of routers, as `namePattern` gives them; undefined without a limit. */
  readonly patterns: readonly string[] | undefined;
}

/**
 * Gives the names that a router may not have in certificates: hosts of any controller of the network,
 * running or not, and hosts that other routers advertise to clients.
 */
export async function routerNameRule(
  tx: Transaction,
  { ownHosts, patterns }: RouterNameSettings,
  routerId: string,
): Promise<RouterNameRule> {
  const controllers = new HostNames([...ownHosts, ...(await controllerHosts(tx))]);
  const otherRouters = new HostNames(await hostsOfOthers(tx, routerId));
  return {
    ownerOf: (host) => {
      if (controllers.areCoveredBy(host)) return 'a controller';
      return otherRouters.areCoveredBy(host) ? 'another router' : undefined;
    },
    isPermitted: patterns === undefined ? () => true : matcherOf(patterns),
  };
}

/**
 * Generated certificates contain the listening addresses. `*.` names in configured certificates are
 * left out: they cover a whole domain, of which the controller has one name.
 */
async function controllerHosts(tx: Transaction): Promise<string[]> {
  const rows = await networkControllers.addresses(tx);
  return rows.flatMap(({ ctrlAddress, certPem, apiAddresses }) => [
    ...hostsIn([ctrlAddress, ...urlsIn(apiAddresses)]),
    ...certifiedHosts(certPem),
  ]);
}

/** Gives no names for an invalid certificate, so that one bad row does not stop enrollments. */
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
  const others = await routers.addressesOfOthers(tx, routerId);
  return others.flatMap(advertisedHosts);
}

const advertisedHosts = (router: RouterAddresses): string[] =>
  hostsIn([
    router.hostname,
    ...Object.values(router.listeners ?? {}),
    ...(router.linkListeners ?? []).map(({ address }) => address),
    ...Object.keys(router.ctrlChanListeners),
  ]);

const hostsIn = (addresses: readonly unknown[]): string[] =>
  addresses.flatMap((address) => (typeof address === 'string' ? (hostIn(address) ?? []) : []));
