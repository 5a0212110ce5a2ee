import { controllers, type ClientDoor } from '../../data/rows/controller/index.js';
import { OIDC_PATH } from '../../trust/oidc/index.js';
import { BASE_PATHS } from '../../base/interface-paths.js';
import type { JsonObject } from '../../base/row.js';
import type { Config } from '../configuration.js';

type Addressed = Pick<Config, 'advertise' | 'oidc'>;

const urlOf = ({ advertise: { host, port } }: Addressed, path: string): string =>
  `https://${host}:${String(port)}${path}`;

const announcesOidc = ({ oidc }: Addressed): boolean => oidc.mode === 'announce';

/** The addresses of the interfaces of a controller, by the names that `/version` gives them. */
export function apiAddresses(config: Addressed): JsonObject {
  const address = (path: string) => [{ url: urlOf(config, path), version: 'v1' }];
  return {
    [controllers.CLIENT_INTERFACE]: address(BASE_PATHS.client),
    'edge-management': address(BASE_PATHS.management),
    ...(announcesOidc(config) ? { [controllers.OIDC_INTERFACE]: address(OIDC_PATH) } : {}),
  };
}

export const clientDoor = (config: Addressed): ClientDoor => ({
  url: urlOf(config, BASE_PATHS.client),
  isOneOfMany: announcesOidc(config),
});
