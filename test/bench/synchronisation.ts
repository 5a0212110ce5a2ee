import { ask, CONNECTIONS } from './load.js';
import { login } from './measure.js';
import { COMMON, common, sizeFor } from './network.js';
import { readsBeside } from './reads-beside.js';
import { timesTable, type TimesResult } from './report.js';
import { openStage, type ControllerSettings, type Server, type Stage } from './stage.js';

/** The first synchronisation of a directory: users one by one, and the members of each group by one PATCH. */

export const SYNCHRONISATION = { name: 'synchronisation of a directory' };

/** Of each ten identities one is a user; a group has half of all users. */
const IDENTITIES_OF_USER = 10;
const MEMBERS_OF_USERS = 1 / 2;
const USERS_OF_GROUP = 20;
/** Groups that policies name. */
const NAMED_GROUPS = 50;
const GROUPS_AT_ONCE = 2;
const PREFIX = 'corp:';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const POLICIES = `insert into service_policy (${COMMON}, type, semantic, identity_roles, service_roles)
  select ${common('of-group')}, 'Dial', 'AnyOf', array['#${PREFIX}group ' || n], array['#app-' || n % 10]
  from generate_series(1, ${String(NAMED_GROUPS)}) n`;

export async function measureSynchronisation(
  server: Server,
  { identities, settings }: { readonly identities: number; readonly settings: ControllerSettings },
): Promise<void> {
  const stage = await openStage(server, sizeFor(identities), settings, [POLICIES]);
  try {
    const token = await login(stage);
    const provider = await Provider.connect(stage, token);
    const { done, times } = await readsBeside(stage, token, {
      what: 'a directory is synchronised',
      work: () => synchronise(provider, Math.ceil(identities / IDENTITIES_OF_USER)),
    });
    console.log(`\n${timesTable(SYNCHRONISATION.name, [...times, ...done.times])}`);
    for (const line of done.lines) console.log(line);
  } finally {
    await stage.stop();
  }
}

interface Synchronised {
  readonly times: readonly TimesResult[];
  readonly lines: readonly string[];
}

async function synchronise(provider: Provider, users: number): Promise<Synchronised> {
  const groups = Math.ceil(users / USERS_OF_GROUP);
  const members = Math.ceil(users * MEMBERS_OF_USERS);
  const began = performance.now();
  const userIds: string[] = [];
  const creations = await forEach(range(users), CONNECTIONS, async (i) => {
    userIds.push(await provider.user(`user-${String(i)}@corp.example`));
  });
  const created = performance.now();
  const patches = await forEach(range(groups), GROUPS_AT_ONCE, async (i) => {
    const group = await provider.group(`group ${String(i)}`);
    const chosen = range(members).map((j) => userIds[(i * 17 + j) % userIds.length]);
    await provider.addMembers(group, chosen);
  });
  const ended = performance.now();
  const [first, second] = [(created - began) / 1000, (ended - created) / 1000];
  const memberships = groups * members;
  return {
    times: [
      { name: 'creation of a user', millis: creations, target: undefined },
      {
        name: `a group with ${members.toLocaleString('en')} members`,
        millis: patches,
        target: undefined,
      },
    ],
    lines: [
      `${users.toLocaleString('en')} users: ${(users / first).toFixed(0)} per second`,
      `${memberships.toLocaleString('en')} memberships: ${(memberships / second).toFixed(0)} per second`,
    ],
  };
}

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);

/** Runs work for each item, some at a time; gives the milliseconds of each. */
async function forEach<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<readonly number[]> {
  const waiting = [...items].reverse();
  const times: number[] = [];
  const run = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      const began = performance.now();
      await work(item);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return times;
}

/** An identity provider, which writes by the token of its directory. */
class Provider {
  private constructor(
    private readonly origin: string,
    private readonly bearer: string,
  ) {}

  static async connect({ controller }: Stage, token: string): Promise<Provider> {
    const post = (path: string, body: object): Promise<{ data: { id: string; token: string } }> =>
      ask(
        controller,
        { method: 'POST', path: `/edge/management/v1${path}`, body: JSON.stringify(body) },
        token,
      );
    const directory = await post('/directories', {
      name: 'corp',
      roleAttributePrefix: PREFIX,
    });
    const issued = await post(`/directories/${directory.data.id}/tokens`, {});
    return new Provider(controller, issued.data.token);
  }

  async user(userName: string): Promise<string> {
    return (await this.post<{ id: string }>('/Users', { userName, externalId: userName })).id;
  }

  async group(displayName: string): Promise<string> {
    return (await this.post<{ id: string }>('/Groups', { displayName })).id;
  }

  async addMembers(group: string, ids: readonly (string | undefined)[]): Promise<void> {
    const value = ids.map((id) => ({ value: id }));
    await this.send('PATCH', `/Groups/${group}`, {
      schemas: [PATCH_OP],
      Operations: [{ op: 'add', path: 'members', value }],
    });
  }

  private post<T>(path: string, body: object): Promise<T> {
    return this.send('POST', path, body);
  }

  private send<T>(method: 'POST' | 'PATCH', path: string, body: object): Promise<T> {
    const { origin, bearer } = this;
    return ask(origin, { method, path: `/scim/v2${path}`, body: JSON.stringify(body), bearer });
  }
}
