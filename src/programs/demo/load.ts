import { LastReason } from '../emitted/operations.js';
import type { Client } from '../cli/client.js';
import { commandFault } from '../cli/command-error.js';
import type { Connection } from '../cli/controller-connection.js';
import { inventCompany, type Company } from './company.js';
import { coverForColleague } from './cover.js';
import { idOf, update } from './demo-change.js';
import { makeSetting } from './make-settings.js';
import { makeStep } from './make-step.js';
import { logInAs } from './demo-login.js';
import { askForAccess } from './requests.js';
import { beginReview } from './review.js';
import { usernameOf } from './people.js';
import { FACTORY, MACHINES, PEOPLE, RULES } from './settings.js';
import { TICKETS, type Step } from './story.js';
import { visit } from './visits.js';

/** The end of the story. It shows that all of it has happened. */
const LAST_STEP: Step = {
  reason: `${TICKETS}9999 the plan for the next year`,
  author: undefined,
  changes: [update('service', idOf('service', 'dashboards'), { tags: { shows: 'the next year' } })],
};

/** Gives the reason of the last step in the change log; undefined without any. */
export async function lastReason(admin: Client): Promise<string | undefined> {
  const { changes } = await admin.run(LastReason, { tickets: TICKETS });
  return changes.nodes[0]?.reason ?? undefined;
}

export const isLast = (reason: string): boolean => reason === LAST_STEP.reason;

/** The session of an administrator, and the way to log others in. */
interface Loading {
  readonly admin: Client;
  readonly connection: Connection;
  /** Tells what comes next. */
  readonly tell: (title: string, place: number, count: number) => void;
}

/**
 * Loads the company step by step: each is a transaction. It goes on behind the step with the given
 * reason.
 */
export async function loadCompany(loading: Loading, after: string | undefined): Promise<void> {
  const { admin, connection, tell } = loading;
  const [people, machines, authorityId] = [
    await makeSetting(admin, PEOPLE),
    await makeSetting(admin, MACHINES),
    await makeSetting(admin, FACTORY),
  ];
  const company = inventCompany({ policies: { people, machines }, authorityId });
  if (after !== undefined) refuseOtherStory(company, after);
  const count = company.chapters.length + 1;
  await makeChapters(loading, company, after);
  tell('Rules, logins and a review', count, count);
  for (const rule of RULES) await makeSetting(admin, rule);
  await visit(admin, connection, company.people);
  await beginReview(admin);
  await coverForColleague(admin);
  await askForAccess(admin, connection);
  await makeStep({ author: admin, admin }, LAST_STEP);
}

/** Another release may tell another story. */
function refuseOtherStory({ chapters }: Company, after: string): void {
  const isOurs = chapters.some(({ steps }) => steps.some(({ reason }) => reason === after));
  if (isOurs) return;
  throw commandFault(
    `the network has a part of another company ("${after}"); load into an empty network`,
  );
}

async function makeChapters(
  { admin, connection, tell }: Loading,
  { chapters }: Company,
  after: string | undefined,
): Promise<void> {
  const sessions = new Sessions(admin, connection);
  let isDone = after !== undefined;
  for (const [i, { title, steps }] of chapters.entries()) {
    tell(title, i + 1, chapters.length + 1);
    for (const step of steps) {
      if (!isDone) await makeStep({ author: await sessions.of(step.author), admin }, step);
      if (step.reason === after) isDone = false;
    }
  }
  await sessions.end();
}

/** The sessions of those who make the changes. */
class Sessions {
  readonly #operators = new Map<string, Client>();

  constructor(
    private readonly admin: Client,
    private readonly connection: Connection,
  ) {}

  async of(author: string | undefined): Promise<Client> {
    if (author === undefined) return this.admin;
    const open =
      this.#operators.get(author) ??
      (await logInAs(
        this.admin,
        this.connection,
        idOf('identity', author),
        usernameOf({ name: author }),
      ));
    this.#operators.set(author, open);
    return open;
  }

  async end(): Promise<void> {
    for (const client of this.#operators.values()) await client.logout();
  }
}
