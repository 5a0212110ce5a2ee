import { AREAS, TRIALS, TRIAL_SERVICES, type Area } from './areas.js';
import { creation, type Change } from './demo-change.js';
import { companyHosts, devicesOf, siteHosts } from './machines.js';
import { inputOf, type Person } from './people.js';
import { bindPolicy, dialPolicy, edgeRouterPolicy, serviceEdgeRouterPolicy } from './policies.js';
import { serviceWithConfigs } from './demo-services.js';
import { routersOf, SITES, type Site } from './sites.js';
import type { Story } from './story.js';

/** The ids of the auth policies of the company: the controller chooses them. */
export interface AuthPolicies {
  readonly people: string;
  readonly machines: string;
}

const OFFICE_SERVICES = ['files', 'print', 'time-clocks'];
const BUILDING_SERVICES = ['door-control', 'cameras', 'building-control'];
const PLANT_SERVICES = [
  'line-control',
  'machine-data',
  'recipe-server',
  'label-printing',
  'tool-store',
];

const HOSTS_OF_AREA = 6;
const HOSTS_OF_TRIALS = 10;
const HUBS = SITES.filter(({ isHub }) => isHub);

export const peopleCreated = (people: readonly Person[], { people: policy }: AuthPolicies) =>
  people.map((person) => creation('identity', person.name, inputOf(person, policy)));

/** The routers, services, machines and policies of a site; its people come after them. */
export function openSite(story: Story, site: Site, { machines }: AuthPolicies): void {
  const { name, role } = site;
  story.tell(`routers for ${name}`, [
    ...routersOf(site).map(({ name: router, roleAttributes, cost }) =>
      creation('edgeRouter', router, { isTunnelerEnabled: false, roleAttributes, cost }),
    ),
    edgeRouterPolicy(`${name} uses its routers`, [`#${role}`], [`#${role}`]),
    serviceEdgeRouterPolicy(`Services of ${name} stay there`, [`#${role}`], [`#${role}`]),
  ]);
  story.tell(`services of ${name}`, servicesOf(site));
  story.tell(`servers of ${name}`, [
    ...siteHosts(site, machines),
    bindPolicy(`Servers of ${name}`, {
      identities: ['#site-host', `#${role}`],
      services: ['#site-service', `#${role}`],
      isAllOf: true,
    }),
  ]);
  story.tell(`devices of ${name}`, devicesOf(site, machines));
  story.tell(`access to the services of ${name}`, sitePolicies(site));
}

function servicesOf({ name, role, isPlant }: Site): Change[] {
  const create = (kinds: readonly string[], kind: string, port: number): Change[] =>
    kinds.flatMap((service) =>
      serviceWithConfigs({
        name: `${service}-${name.toLowerCase()}`,
        roleAttributes: ['site-service', kind, role],
        port,
        tags: { site: name },
      }),
    );
  return [
    ...create(OFFICE_SERVICES, 'office', 445),
    ...create(BUILDING_SERVICES, 'building', 443),
    ...(isPlant ? create(PLANT_SERVICES, 'plant', 4840) : []),
  ];
}

function sitePolicies({ name, role, isPlant }: Site): Change[] {
  const own = (policy: string, who: string, kind: string): Change =>
    dialPolicy(policy, {
      identities: [`#${who}`, `#${role}`],
      services: [`#${kind}`, `#${role}`],
      isAllOf: true,
    });
  return [
    own(`Office of ${name}`, 'staff', 'office'),
    own(`Devices of ${name} in the building`, 'device', 'building'),
    ...(isPlant
      ? [
          own(`Machines of ${name}`, 'device', 'plant'),
          own(`Production in ${name}`, 'production', 'plant'),
        ]
      : []),
  ];
}

/** The services of an area, with their servers and policies. */
export function openArea(story: Story, area: Area, { machines }: AuthPolicies): void {
  const { role, title, services, readers, checks = [], port = 443 } = area;
  story.tell(`${title}: services and servers`, [
    ...services.flatMap((name) =>
      serviceWithConfigs({ name, roleAttributes: ['company', role], port, tags: { area: title } }),
    ),
    ...companyHosts(role, HOSTS_OF_AREA, HUBS, machines),
    bindPolicy(`Servers: ${title}`, { identities: [`#hosts-${role}`], services: [`#${role}`] }),
  ]);
  story.tell(`${title}: access`, [
    dialPolicy(title, { identities: readers, services: [`#${role}`], checks }),
  ]);
}

/** Copies of some applications for trials. */
export function openTrials(story: Story, { machines }: AuthPolicies): void {
  const roleOf = (purpose: string): string => `for-${purpose}`;
  story.tell('copies of applications for test and staging', [
    ...TRIALS.flatMap(({ purpose }) =>
      TRIAL_SERVICES.flatMap((service) =>
        serviceWithConfigs({
          name: `${service}-${purpose}`,
          roleAttributes: ['company', roleOf(purpose)],
          tags: { purpose },
        }),
      ),
    ),
    ...companyHosts('trials', HOSTS_OF_TRIALS, HUBS, machines),
    bindPolicy('Servers: trials', {
      identities: ['#hosts-trials'],
      services: TRIALS.map(({ purpose }) => `#${roleOf(purpose)}`),
    }),
    ...TRIALS.map(({ purpose, readers }) =>
      dialPolicy(`Trials: ${purpose}`, {
        identities: readers,
        services: [`#${roleOf(purpose)}`],
      }),
    ),
  ]);
}

/** The entities that all sites and areas rely on. */
export function openNetwork(story: Story): void {
  story.tellAsAdmin('the network begins', [
    edgeRouterPolicy('People at work use public routers', ['#staff', '#contractor'], ['#public']),
    serviceEdgeRouterPolicy('Company services are at the hubs', ['#company'], ['#hub']),
  ]);
}

/** Which areas come after which site: the network grows as the company does. */
export const areasAfter = (site: Site): readonly Area[] => {
  const share = Math.ceil(AREAS.length / SITES.length);
  const place = SITES.indexOf(site);
  return AREAS.slice(place * share, (place + 1) * share);
};
