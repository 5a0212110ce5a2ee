import { ask } from './load.js';
import type { HttpRequest } from './reads.js';

export const MANAGEMENT = '/edge/management/v1';
export const CLIENT = '/edge/client/v1';

/** A controller with the documented REST interfaces, and its administrator. */
export interface PeerAddress {
  readonly origin: string;
  readonly username: string;
  readonly password: string;
}

/** A controller that holds the network of the comparison. */
export interface Peer {
  readonly origin: string;
  /** Of the administrator. */
  readonly token: string;
  /** Of the user. */
  readonly userToken: string;
  readonly identity: string;
  readonly service: string;
  readonly policy: string;
  /** A service that the user may dial. */
  readonly ownService: string;
  readonly created: { readonly services: number; readonly identities: number };
}

export const USER = { username: 'bench', password: 'bench-bench-1' };

const ALONGSIDE = 8;
const POLICIES = 100;
const ROUTERS = 20;

interface Entity {
  readonly id: string;
}

const post = (path: string, body: object): HttpRequest => ({
  method: 'POST',
  path,
  body: JSON.stringify(body),
});

export const loginRequest = (credentials: object): HttpRequest =>
  post(`${CLIENT}/authenticate?method=password`, credentials);

const name = (kind: string, n: number): string => `${kind}-${String(n).padStart(6, '0')}`;

/** Runs `work` for the numbers below `count`, some at a time; gives how many a second. */
async function each(
  count: number,
  work: (n: number) => Promise<unknown>,
  alongside = ALONGSIDE,
): Promise<number> {
  const began = performance.now();
  let next = 0;
  const keepOn = async (): Promise<void> => {
    while (next < count) {
      const n = next;
      next += 1;
      await work(n);
    }
  };
  await Promise.all(Array.from({ length: alongside }, keepOn));
  return count / ((performance.now() - began) / 1000);
}

/**
 * Creates the network through the management interface, so that it is the same in every controller:
 * the identities, a tenth as many services, a hundred policies and a user who reaches some services.
 */
export async function fillPeer(
  { origin, username, password }: PeerAddress,
  identities: number,
): Promise<Peer> {
  const token = await login(origin, { username, password });
  const create = async (collection: string, body: object): Promise<string> => {
    const request = post(`${MANAGEMENT}/${collection}`, body);
    return (await ask<{ data: Entity }>(origin, request, token)).data.id;
  };
  const services = await each(Math.round(identities / 10), (n) =>
    create('services', {
      name: name('service', n),
      encryptionRequired: true,
      roleAttributes: [`s${String(n % 100)}`, `g${String(n % 7)}`],
    }),
  );
  const created = await each(identities, (n) =>
    create('identities', {
      name: name('identity', n),
      type: 'Default',
      isAdmin: false,
      roleAttributes: [10, 50, 5, 200].map((of, i) => `${'abcx'.charAt(i)}${String(n % of)}`),
    }),
  );
  await fillPolicies(create, identities > 10_000);
  const user = await create('identities', {
    name: 'bench-user',
    type: 'Default',
    isAdmin: false,
    roleAttributes: ['b1', 'x1', 'x3', 'x5'],
  });
  await create('authenticators', { identityId: user, method: 'updb', ...USER });
  const first = async (path: string, of: string): Promise<string> => {
    const request: HttpRequest = { method: 'GET', path };
    const { data } = await ask<{ data: readonly Entity[] }>(origin, request, of);
    const [entity] = data;
    if (!entity) throw new Error(`${path} of ${origin} is empty`);
    return entity.id;
  };
  const named = (collection: string, of: string): Promise<string> =>
    first(`${MANAGEMENT}/${collection}?filter=${encodeURIComponent(`name="${of}"`)}`, token);
  const userToken = await login(origin, USER);
  return {
    origin,
    token,
    userToken,
    identity: await named('identities', name('identity', 1)),
    service: await named('services', name('service', 1)),
    policy: await named('service-policies', 'policy-all'),
    ownService: await first(
      `${CLIENT}/services?filter=${encodeURIComponent('anyOf(roleAttributes)="g1"')}`,
      userToken,
    ),
    created: { services, identities: created },
  };
}

async function fillPolicies(
  create: (collection: string, body: object) => Promise<string>,
  isLarge: boolean,
): Promise<void> {
  await each(ROUTERS, (n) =>
    create('edge-routers', {
      name: name('router', n),
      isTunnelerEnabled: false,
      roleAttributes: [`r${String(n % 5)}`],
    }),
  );
  const policy = (of: string, identityRole: string, serviceRole: string, type = 'Dial') =>
    create('service-policies', {
      name: of,
      type,
      semantic: 'AnyOf',
      identityRoles: [identityRole],
      serviceRoles: [serviceRole],
    });
  // One after the other: a controller that stores what policies grant takes seconds for each of
  // a large network.
  await each(
    POLICIES,
    (n) =>
      policy(
        name('policy', n),
        `#x${String(n % 200)}`,
        `#s${String(n % 100)}`,
        n % 2 ? 'Bind' : 'Dial',
      ),
    1,
  );
  // A policy of millions of pairs takes such a controller longer than its own limit for a request.
  await policy('policy-all', '#b1', isLarge ? '#s1' : '#g1');
  await create('edge-router-policies', {
    name: 'everybody',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#r1'],
  });
  await create('service-edge-router-policies', {
    name: 'everything',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
}

async function login(origin: string, credentials: object): Promise<string> {
  const { data } = await ask<{ data: { token: string } }>(origin, loginRequest(credentials));
  return data.token;
}
