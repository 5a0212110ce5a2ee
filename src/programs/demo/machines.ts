import { creation, type Change } from './demo-change.js';
import type { Site } from './sites.js';

/** Devices of a site, by what they are. */
const PLANT_DEVICES = { gauge: 60, scanner: 30, terminal: 25, camera: 15 };
const OFFICE_DEVICES = { camera: 10, panel: 20 };
const HOSTS_OF_SITE = 5;

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name}-${String(i + 1).padStart(3, '0')}`);

const machine = (
  name: string,
  authPolicyId: string,
  roleAttributes: readonly string[],
  tags: object,
): Change =>
  creation('identity', name, {
    type: 'Default',
    isAdmin: false,
    authPolicyId,
    roleAttributes,
    tags,
  });

/** Gives the creation of all devices of a site. */
export const devicesOf = ({ name, role, isPlant }: Site, authPolicyId: string): Change[] =>
  Object.entries(isPlant ? PLANT_DEVICES : OFFICE_DEVICES).flatMap(([kind, count]) =>
    numbered(`${name.toLowerCase()}-${kind}`, count).map((device) =>
      machine(device, authPolicyId, ['device', `device-${kind}`, role], { site: name, kind }),
    ),
  );

/** Gives the creation of the servers that host the services of a site. */
export const siteHosts = ({ name, role }: Site, authPolicyId: string): Change[] =>
  numbered(`${name.toLowerCase()}-server`, HOSTS_OF_SITE).map((host) =>
    machine(host, authPolicyId, ['site-host', role], { site: name }),
  );

/** Gives the creation of servers that host services of the company, at the sites with a data centre. */
export const companyHosts = (
  purpose: string,
  count: number,
  hubs: readonly Site[],
  authPolicyId: string,
): Change[] =>
  numbered(`${purpose}-server`, count).map((host, i) => {
    const hub = hubs[i % hubs.length];
    const roles = [`hosts-${purpose}`, ...(hub ? [hub.role] : [])];
    return machine(host, authPolicyId, roles, { purpose, site: hub?.name ?? '' });
  });

/** Devices in a depot that nobody has given a router. */
export const depotDevices = (authPolicyId: string): Change[] =>
  numbered('turin-gauge', 8).map((device) =>
    machine(device, authPolicyId, ['device', 'device-gauge', 'depot'], { site: 'Turin' }),
  );
