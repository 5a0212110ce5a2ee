import { idOf } from './demo-change.js';
import type { Random } from './random.js';
import { departmentsOf, type Site } from './sites.js';
import { FAMILY_NAMES, GIVEN_NAMES } from './words.js';

/** A person as the network knows her. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly site: Site;
  readonly department: string;
  readonly isContractor: boolean;
  readonly isManager: boolean;
  /** Whether she is new, and has an invitation. */
  readonly isInvited?: boolean;
  readonly permissions?: readonly string[];
}

/** The people who run the network. They make most of the changes. */
export const OPERATORS = ['Ines Calloway', 'Tomasz Verhoeven', 'Kaia Lindqvist'] as const;

const OPERATOR_PERMISSIONS = [
  'identity',
  'service',
  'config',
  'router',
  'service-policy',
  'edge-router-policy',
  'service-edge-router-policy',
  'posture-check',
  'enrollment.create',
  'enrollment.read',
  'change.read',
];

/** Gives names that no two people share. */
export function* personNames(random: Random): Generator<string, never> {
  const given = new Set<string>(OPERATORS);
  for (;;) {
    const name = `${random.pick(GIVEN_NAMES)} ${random.pick(FAMILY_NAMES)}`;
    if (given.has(name)) continue;
    given.add(name);
    yield name;
  }
}

/** Gives a new member of staff. */
export const newcomer = (name: string, site: Site, department: string): Person => ({
  id: idOf('identity', name),
  name,
  site,
  department,
  isContractor: false,
  isManager: false,
});

export const operatorsAt = (site: Site): Person[] =>
  OPERATORS.map((name) => ({
    ...newcomer(name, site, 'it'),
    permissions: OPERATOR_PERMISSIONS,
  }));

/** Gives the people of a site by chance, according to the shares of its departments. */
export function peopleOf(
  site: Site,
  count: number,
  random: Random,
  names: Iterator<string, never>,
): Person[] {
  const departments = departmentsOf(site);
  return Array.from({ length: count }, () => {
    const person = newcomer(names.next().value, site, random.weighted(departments));
    // Finance has no contractors: a rule forbids them.
    const isContractor = person.department !== 'finance' && random.happens(6);
    return {
      ...person,
      isContractor,
      isManager: !isContractor && random.happens(8),
      isInvited: random.happens(3),
    };
  });
}

export const rolesOf = ({ site, department, isContractor, isManager }: Person): string[] => [
  department,
  site.role,
  isContractor ? 'contractor' : 'staff',
  ...(isManager ? ['manager'] : []),
];

export const tagsOf = ({ site, department }: Person): object => ({
  department,
  site: site.name,
});

/** Zoë Lind logs in as `zoe.lind`. */
export const usernameOf = ({ name }: Pick<Person, 'name'>): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{M}|ø/gu, (letter) => (letter === 'ø' ? 'o' : ''))
    .replaceAll(' ', '.');

/** The input that creates her. */
export const inputOf = (person: Person, authPolicyId: string): object => ({
  type: 'Default',
  isAdmin: false,
  authPolicyId,
  externalId: `${usernameOf(person)}@quillmere.example`,
  roleAttributes: rolesOf(person),
  tags: tagsOf(person),
  ...(person.permissions && { permissions: person.permissions }),
  ...(person.isInvited === true && { enrollment: { ott: true } }),
});
