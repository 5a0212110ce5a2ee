import { AREAS } from './areas.js';
import { creation, deletion, idOf, update, type Change } from './demo-change.js';
import type { AuthPolicies } from './growth.js';
import { inputOf, newcomer, OPERATORS, rolesOf, tagsOf, type Person } from './people.js';
import type { Random } from './random.js';
import { hostConfigOf, hostData, serverOf } from './demo-services.js';
import { departmentsOf, routersOf, SITES } from './sites.js';
import type { Story } from './story.js';

/** Changes of the daily work. */
export interface Workplace {
  readonly random: Random;
  /** The people of now. */
  readonly people: Person[];
  /** Gives the names of new people. */
  readonly names: Iterator<string, never>;
  readonly policies: AuthPolicies;
}

interface Event {
  readonly words: string;
  readonly changes: readonly Change[];
}

const DAYS = 240;
const SERVICES = AREAS.flatMap(({ services, port = 443 }) =>
  services.map((name) => ({ name, port })),
);

/** Some hundred small changes, as they are made in the course of a year. */
export function workDaily(story: Story, workplace: Workplace): void {
  story.begin('A year of changes');
  for (let day = 0; day < DAYS; day += 1) {
    const { words, changes } = workplace.random.weighted(EVENTS)(workplace, day);
    story.tell(words, changes);
  }
}

/** Chooses a member of staff whom operators may change. */
function choosePerson({ random, people }: Workplace): Person {
  const operators: readonly string[] = OPERATORS;
  return random.pick(
    people.filter(({ name, isContractor }) => !isContractor && !operators.includes(name)),
  );
}

/** Changes what a person is, and gives the change of her identity. */
function become({ people }: Workplace, before: Person, change: Partial<Person>): Change {
  const after = { ...before, ...change };
  people[people.indexOf(before)] = after;
  return update('identity', before.id, {
    name: after.name,
    roleAttributes: rolesOf(after),
    tags: tagsOf(after),
  });
}

function moves(workplace: Workplace): Event {
  const person = choosePerson(workplace);
  const site = workplace.random.pick(SITES.filter((each) => each !== person.site));
  const words = `${person.name} moves from ${person.site.name} to ${site.name}`;
  return { words, changes: [become(workplace, person, { site })] };
}

function changesDepartment(workplace: Workplace): Event {
  const person = choosePerson(workplace);
  const others = departmentsOf(person.site).filter(([name]) => name !== person.department);
  const department = workplace.random.weighted(others);
  const words = `${person.name} goes from ${person.department} to ${department}`;
  return { words, changes: [become(workplace, person, { department })] };
}

function leads(workplace: Workplace): Event {
  const person = choosePerson(workplace);
  const isManager = !person.isManager;
  const words = isManager
    ? `${person.name} leads a team of ${person.department}`
    : `${person.name} leads no team`;
  return { words, changes: [become(workplace, person, { isManager })] };
}

function isReplaced(workplace: Workplace): Event {
  const { people, names, policies } = workplace;
  const leaver = choosePerson(workplace);
  const successor: Person = {
    ...newcomer(names.next().value, leaver.site, leaver.department),
    isInvited: true,
  };
  people[people.indexOf(leaver)] = successor;
  return {
    words: `${leaver.name} leaves, ${successor.name} comes`,
    changes: [
      deletion('identity', leaver.id),
      creation('identity', successor.name, inputOf(successor, policies.people)),
    ],
  };
}

function serverMoves({ random }: Workplace, day: number): Event {
  const { name, port } = random.pick(SERVICES);
  const address = serverOf(name, 1 + (day % 100));
  return {
    words: `${name} moves to another server`,
    changes: [update('config', hostConfigOf(name), { data: hostData(address, port) })],
  };
}

function isOwned({ random, people }: Workplace): Event {
  const { name } = random.pick(SERVICES);
  const owner = random.pick(people).name;
  return {
    words: `${owner} answers for ${name}`,
    changes: [update('service', idOf('service', name), { tags: { owner } })],
  };
}

function routerIsMaintained({ random }: Workplace, day: number): Event {
  const { name } = random.pick(routersOf(random.pick(SITES)));
  const cost = 5 * (day % 20);
  return {
    words: `traffic of ${name}`,
    changes: [update('edgeRouter', idOf('edgeRouter', name), { cost })],
  };
}

const EVENTS = [
  [moves, 24],
  [changesDepartment, 16],
  [leads, 14],
  [isReplaced, 18],
  [serverMoves, 16],
  [isOwned, 8],
  [routerIsMaintained, 4],
] as const;
