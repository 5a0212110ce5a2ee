import type { Change } from './demo-change.js';
import type { Random } from './random.js';
import { OPERATORS } from './people.js';

/** Changes that are made together, for one reason. */
export interface Step {
  /** With the number of a ticket: `QM-1042 Ada Berg moves to Porto`. */
  readonly reason: string;
  /** The name of the operator who makes them; undefined: the administrator who loads the company. */
  readonly author: string | undefined;
  readonly changes: readonly Change[];
}

/** A chapter has a title for those who watch the company grow. */
export interface Chapter {
  readonly title: string;
  readonly steps: readonly Step[];
}

const FIRST_TICKET = 1001;
/** Before all reasons of the company. */
export const TICKETS = 'QM-';
/** Variables of a request have bounds: a list of this length keeps them. */
const MAX_CHANGES = 200;

/** Collects the steps of the company in their order, each with a ticket of its own. */
export class Story {
  readonly chapters: { readonly title: string; readonly steps: Step[] }[] = [];
  #tickets = 0;

  constructor(private readonly random: Random) {}

  begin(title: string): void {
    this.chapters.push({ title, steps: [] });
  }

  /** Adds changes by one of the operators. */
  tell(words: string, changes: readonly Change[]): void {
    this.#add(words, changes, this.random.pick(OPERATORS));
  }

  /** Adds changes that only an administrator may make. */
  tellAsAdmin(words: string, changes: readonly Change[]): void {
    this.#add(words, changes, undefined);
  }

  #add(words: string, changes: readonly Change[], author: string | undefined): void {
    for (let from = 0; from < changes.length; from += MAX_CHANGES) {
      const reason = `${TICKETS}${String(FIRST_TICKET + this.#tickets)} ${words}`;
      this.#tickets += 1;
      const part = changes.slice(from, from + MAX_CHANGES);
      this.chapters.at(-1)?.steps.push({ reason, author, changes: part });
    }
  }
}
