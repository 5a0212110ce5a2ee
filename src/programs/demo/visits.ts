import { OpenSession, SubmitPosture } from '../emitted/operations.js';
import { Client } from '../cli/client.js';
import type { Connection } from '../cli/controller-connection.js';
import { Refusal } from '../cli/refusal.js';
import { AREAS } from './areas.js';
import { idOf } from './demo-change.js';
import { usernameOf, type Person } from './people.js';
import { logInAs } from './demo-login.js';

/** One in so many people logs in. */
const SHARE = 25;
const SERVICES_OF_AREA = 3;
const MAX_AT_ONCE = 3;

/** Gives the services that a person opens in the morning. */
function servicesOf({ department, site, isContractor }: Person): string[] {
  const area = AREAS.find(({ role }) => role === department);
  return [
    'mail',
    'status-page',
    ...(isContractor ? [] : ['handbook', `files-${site.name.toLowerCase()}`]),
    ...(area?.services.slice(0, SERVICES_OF_AREA) ?? []),
    ...(department === 'production' && site.isPlant
      ? [`machine-data-${site.name.toLowerCase()}`]
      : []),
  ];
}

/**
 * Lets people log in and open sessions, as their clients would. So the controller records real uses. Some
 * are refused, because their devices lack what a check asks for.
 */
export async function visit(
  admin: Client,
  connection: Connection,
  people: readonly Person[],
): Promise<void> {
  const visitors = people.filter((_, place) => place % SHARE === 0);
  const waiting = visitors.values();
  const workers = Array.from({ length: MAX_AT_ONCE }, async () => {
    for (const person of waiting) await visitAs(admin, connection, person);
  });
  await Promise.all(workers);
  await failToLogIn(connection, visitors);
}

async function visitAs(admin: Client, connection: Connection, person: Person): Promise<void> {
  const client = await logInAs(admin, connection, person.id, usernameOf(person));
  const responses = [
    {
      id: idOf('postureCheck', 'Laptop of the company'),
      typeId: 'DOMAIN',
      domain: 'quillmere.example',
    },
  ];
  await client.run(SubmitPosture, { responses });
  for (const service of servicesOf(person)) {
    await client
      .run(OpenSession, { input: { serviceId: idOf('service', service), type: 'Dial' } })
      .catch(tolerateRefusal);
  }
  client.close();
}

/** Two people mistype their passwords, and a stranger tries a common name. */
async function failToLogIn(connection: Connection, people: readonly Person[]): Promise<void> {
  const names = [...people.slice(0, 2).map(usernameOf), 'root', 'root'];
  for (const username of names) {
    const login = { username, password: 'Monday' };
    await Client.login({ ...connection, login }).catch(tolerateRefusal);
  }
}

function tolerateRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}
