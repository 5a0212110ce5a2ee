import { CHECKS } from './checks.js';
import { workDaily } from './daily-work.js';
import {
  areasAfter,
  openArea,
  openNetwork,
  openSite,
  openTrials,
  peopleCreated,
  type AuthPolicies,
} from './growth.js';
import { makeMistakes } from './mistakes.js';
import { operatorsAt, peopleOf, personNames, type Person } from './people.js';
import { Random } from './random.js';
import { SITES } from './sites.js';
import { Story, type Chapter } from './story.js';

export const COMPANY = 'Quillmere';

/** Ids that the controller chose: these kinds of entities take no ids of ours. */
export interface GivenIds {
  readonly policies: AuthPolicies;
  readonly authorityId: string;
}

export interface Company {
  readonly chapters: readonly Chapter[];
  /** The people at the end of the story. */
  readonly people: readonly Person[];
}

const SEED = 1843;

/**
 * Invents a company that makes measuring instruments, from its first router to the mistakes of today. The
 * same ids give the same company.
 */
export function inventCompany({ policies, authorityId }: GivenIds): Company {
  const random = new Random(SEED);
  const names = personNames(random);
  const story = new Story(random);
  const people: Person[] = [];
  story.begin('The network');
  openNetwork(story);
  for (const site of SITES) {
    const operators = site === SITES[0] ? operatorsAt(site) : [];
    const others = peopleOf(site, site.people - operators.length, random, names);
    people.push(...operators, ...others);
    // Operators make all later changes.
    if (operators.length > 0) {
      story.tellAsAdmin('people who run the network', peopleCreated(operators, policies));
      story.tell('checks of devices', CHECKS);
    }
    story.begin(site.name);
    openSite(story, site, policies);
    story.tell(`people of ${site.name}`, peopleCreated(others, policies));
    for (const area of areasAfter(site)) openArea(story, area, policies);
  }
  openTrials(story, policies);
  workDaily(story, { random, people, names, policies });
  makeMistakes(story, { policies, people, authorityId });
  return { chapters: story.chapters, people };
}
