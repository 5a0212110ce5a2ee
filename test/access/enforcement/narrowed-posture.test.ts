import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import { callerOf, InProcess } from '../../support/in-process.js';
import {
  dialling,
  domainIs,
  open,
  remove,
  sessionsOf,
  submit,
  update,
  type Dialling,
} from './dialling.js';

/*
 * Clients over OpenID Connect tell their posture to routers of version 2 alone, and these do not judge it when policies
 * and checks change. So a session ends when the controller can not tell whether its device still passes.
 */

const LATER = Date.parse('2100-01-01T00:00:00Z');

let controller: InProcess;
let count = 0;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const newCheck = (domain = 'example.com'): Promise<string> =>
  controller.create('PostureCheck', {
    name: `check ${String((count += 1))}`,
    typeId: 'DOMAIN',
    domains: [domain],
  });

const grant = ({ identity, service }: Dialling, checks: readonly string[]): Promise<string> =>
  controller.create('ServicePolicy', {
    name: `policy ${String((count += 1))}`,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${identity}`],
    serviceRoles: [`@${service}`],
    postureCheckRoles: checks.map((id) => `@${id}`),
  });

/** Somebody over OpenID Connect with a session, by a policy with these checks. */
async function newDialler(checks: readonly string[]): Promise<Dialling> {
  const dialler = await dialling(controller, { checks });
  const { apiSessionId, identity } = dialler;
  await controller.parts.store.query(
    sql`update api_session set oidc_client = 'native' where id = ${apiSessionId}::text`,
  );
  const accessToken = { id: 'token', text: '', expiresAt: new Date(LATER), clientId: 'native' };
  const own = (): RequestContext =>
    controller.ctx({ ...callerOf(identity), apiSessionId, accessToken });
  await open(controller, { ...dialler, own });
  return dialler;
}

interface Network {
  readonly dialler: Dialling;
  /** The checks of its policy. */
  readonly first: string;
  readonly second: string;
  /** A check of nobody. */
  readonly other: string;
}

async function newNetwork(checkCount = 2): Promise<Network> {
  const [first, second, other] = [await newCheck(), await newCheck(), await newCheck()];
  const dialler = await newDialler([first, second].slice(0, checkCount));
  return { dialler, first, second, other };
}

const setChecks = ({ policy }: Dialling, ...checks: string[]): Promise<unknown> =>
  update(controller, 'ServicePolicy', policy, {
    postureCheckRoles: checks.map((id) => `@${id}`),
  });

const setCheck = (id: string, input: object): Promise<unknown> =>
  update(controller, 'PostureCheck', id, { typeId: 'DOMAIN', ...input });

type Edit = (network: Network) => Promise<unknown>;

const ENDS: readonly [string, Edit][] = [
  [
    'its policy gains a check',
    ({ dialler, first, second, other }) => setChecks(dialler, first, second, other),
  ],
  [
    'its policy has another check instead',
    ({ dialler, first, other }) => setChecks(dialler, first, other),
  ],
  ['a check asks for something else', ({ first }) => setCheck(first, { domains: ['other.com'] })],
  [
    'a check joins its policy by a role',
    async ({ dialler, first, second, other }) => {
      await update(controller, 'ServicePolicy', dialler.policy, {
        postureCheckRoles: [`@${first}`, `@${second}`, '#strict'],
      });
      expect(await sessionsOf(controller, dialler)).toHaveLength(1);
      await setCheck(other, { roleAttributes: ['strict'] });
    },
  ],
  [
    'a policy with fewer checks ends',
    async ({ dialler, first }) => {
      const lax = await grant(dialler, [first]);
      expect(await sessionsOf(controller, dialler)).toHaveLength(1);
      await remove(controller, 'ServicePolicy', lax);
    },
  ],
  [
    'a policy with other checks ends',
    async ({ dialler, other }) => {
      const elsewise = await grant(dialler, [other]);
      await remove(controller, 'ServicePolicy', elsewise);
    },
  ],
];

const STAYS: readonly [string, Edit][] = [
  ['a check has another name', ({ first }) => setCheck(first, { name: `renamed ${first}` })],
  ['a check has a role', ({ first }) => setCheck(first, { roleAttributes: ['strict'] })],
  ['a check of nobody changes', ({ other }) => setCheck(other, { domains: ['other.com'] })],
  ['its policy loses a check', ({ dialler, first }) => setChecks(dialler, first)],
  [
    'its policy has another name',
    ({ dialler }) => update(controller, 'ServicePolicy', dialler.policy, { name: dialler.policy }),
  ],
  [
    'a policy with more checks comes and goes',
    async ({ dialler, first, second, other }) => {
      const strict = await grant(dialler, [first, second, other]);
      await remove(controller, 'ServicePolicy', strict);
    },
  ],
  [
    'a policy with the same checks takes over',
    async ({ dialler, first, second }) => {
      await grant(dialler, [first, second]);
      await remove(controller, 'ServicePolicy', dialler.policy);
    },
  ],
  ['its device tells something', ({ dialler }) => submit(controller, dialler, domainIs('a.com'))],
  [
    'its identity has another name',
    ({ dialler }) => update(controller, 'Identity', dialler.identity, { name: dialler.policy }),
  ],
];

test.each(ENDS)('a session ends when %s', async (_, edit) => {
  const network = await newNetwork();
  await edit(network);
  expect(await sessionsOf(controller, network.dialler)).toStrictEqual([]);
});

test('a session ends when the first check comes', async () => {
  const { dialler, first } = await newNetwork(0);
  await setChecks(dialler, first);
  expect(await sessionsOf(controller, dialler)).toStrictEqual([]);
});

test.each(STAYS)('a session stays when %s', async (_, edit) => {
  const network = await newNetwork();
  await edit(network);
  expect(await sessionsOf(controller, network.dialler)).toHaveLength(1);
});

test('a session stays when the controller knows that its device passes', async () => {
  const network = await newNetwork();
  await submit(controller, network.dialler, domainIs('example.com'));
  await setChecks(network.dialler, network.first, network.second, network.other);
  expect(await sessionsOf(controller, network.dialler)).toHaveLength(1);
});

test('a simulation shows the sessions that would end', async () => {
  const { dialler, first, second, other } = await newNetwork();
  const ended = async (...checks: string[]): Promise<unknown> => {
    const input = { postureCheckRoles: checks.map((id) => `@${id}`) };
    const change = { operation: 'update', type: 'servicePolicy', id: dialler.policy, input };
    const { simulate } = await controller.read<{ simulate: { endedSessions: unknown } }>(
      `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) { endedSessions { totalCount } } }`,
      { changes: [change] },
    );
    return simulate.endedSessions;
  };
  expect(await ended(first)).toStrictEqual({ totalCount: 0 });
  expect(await ended(first, second, other)).toStrictEqual({ totalCount: 1 });
});
