import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { newCsr, newKey } from '../auth/certificates.js';
import { newPerson, PASSWORD, runSql, unique } from '../auth/client.js';
import { newDevice, type Device } from './device.js';
import { ask, claimsOf, LoginClient, type OidcAnswer } from './login-client.js';
import { PoolClient, type ListedController, type LoginStep } from './pool-client.js';

/* Clients that know several controllers, of which one ends at the worst moment. */

const ENV = {
  OVERGRAPH_LOGIN_LIMIT: '0',
  OVERGRAPH_OIDC: 'announce',
  OVERGRAPH_ROUTER_CAPABILITIES: 'data-model,grouped-channels,jwt-sessions',
};

let controller: ControllerProcess & { dataDir: string };
let device: Device;
/** Started by a test beside the other one. */
const others: ControllerProcess[] = [];
const clients: PoolClient[] = [];

/** Starts another controller of the network. */
async function start(
  env: Record<string, string> = {},
): Promise<ControllerProcess & { dataDir: string }> {
  const started = await startControllerProcess({ with: controller, env: { ...ENV, ...env } });
  others.push(started);
  return started;
}

beforeAll(async () => {
  controller = await startControllerProcess({ env: ENV });
  device = await newDevice(controller);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const other of others.splice(0)) await end(other);
});
afterAll(() => controller.stop());

const urlOf = ({ port }: Pick<ControllerProcess, 'port'>): string =>
  `https://localhost:${String(port)}/edge/client/v1`;

/** Ends its process with all its connections, without a last word. */
async function kill({ child }: ControllerProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Stops it, and lets its last sign of life be long ago. */
async function end(other: ControllerProcess): Promise<void> {
  await other.stop();
  await silence(other);
}

const silence = (of: ControllerProcess): Promise<unknown> =>
  runSql(
    controller,
    `update controller set last_seen_at = now() - interval '16 s'
      where api_addresses -> 'edge-client' -> 0 ->> 'url' = $1`,
    [urlOf(of)],
  );

/** Gives both a sign of life: on a busy machine theirs may be late. */
const enliven = (...running: readonly ControllerProcess[]): Promise<unknown> =>
  runSql(
    controller,
    `update controller set last_seen_at = now()
      where api_addresses -> 'edge-client' -> 0 ->> 'url' = any($1)`,
    [running.map(urlOf)],
  );

function clientOf(
  urls: readonly string[],
  onStep: (step: LoginStep) => Promise<void> = () => Promise.resolve(),
): PoolClient {
  const client = new PoolClient({ urls, certificate: device.certificate, onStep });
  clients.push(client);
  return client;
}

async function listed(on: ControllerProcess): Promise<readonly ListedController[]> {
  const { status, body } = await on.rest('GET', '/edge/client/v1/controllers');
  expect(status).toBe(200);
  return body.data;
}

const clientUrls = (list: readonly ListedController[]): (string | undefined)[] =>
  list.map(({ apiAddresses }) => apiAddresses['edge-client']?.[0]?.url).sort();

interface Invited {
  readonly enrollment: { readonly ott: { readonly token: string } };
}

const identityOf = async (client: PoolClient): Promise<string> => {
  const { status, body } = await client.api('GET', '/current-identity');
  expect(status).toBe(200);
  return (body.data as { readonly id: string }).id;
};

describe('a client whose controller ends', () => {
  test.each<LoginStep>(['authorize', 'proof', 'callback'])(
    'after the step %s of its login logs in at another one',
    async (step) => {
      const ending = await start();
      const client = clientOf([urlOf(ending), urlOf(controller)], async (done) => {
        if (done === step && ending.child.signalCode === null) await kill(ending);
      });
      const { access_token } = await client.logIn();
      expect(client.active).toBe(urlOf(controller));
      expect(claimsOf(access_token).iss).toBe(`${new URL(urlOf(controller)).origin}/oidc`);
      expect(await identityOf(client)).toBe(device.id);
    },
  );
});

describe('after the end of its controller', () => {
  let ending: ControllerProcess;
  let ended: Ended;

  beforeAll(async () => {
    ending = await startControllerProcess({ with: controller, env: ENV });
    ended = await useAndKill(ending);
  });
  afterAll(() => end(ending));

  test('a browser finishes its login at another one', async () => {
    const { id, verifier, username } = ended.browser;
    const there = Object.assign(new LoginClient(controller), { id, verifier });
    const { access_token } = await there.tokens(await there.password(username, PASSWORD));
    const headers = { authorization: `Bearer ${access_token}` };
    const path = '/edge/client/v1/current-identity';
    expect((await ask(controller.port, 'GET', path, { headers })).status).toBe(200);
  });

  test('a client goes on with its tokens at one that the first named', async () => {
    const { client } = ended;
    const token = client.tokens?.access_token;
    expect([...client.pool].sort()).toEqual([urlOf(controller), urlOf(ending)].sort());
    client.active = urlOf(ending);
    expect(await identityOf(client)).toBe(device.id);
    expect(client.active).toBe(urlOf(controller));
    expect(client.tokens?.access_token).toBe(token);
  });

  test('a client refreshes in the same session, also if the first exchange was answered', async () => {
    const { client } = ended;
    const session = claimsOf(client.tokens?.access_token ?? '').z_asid;
    client.active = urlOf(ending);
    const renewed = await client.refresh();
    expect(claimsOf(renewed.access_token).z_asid).toBe(session);
    expect(claimsOf(renewed.id_token)).toMatchObject({ sub: device.id });
    expect(await identityOf(client)).toBe(device.id);
  });

  test('a client that did not get the answer to its refresh uses the token again', async () => {
    const { token, answer } = ended.lostRefresh;
    const again = await new LoginClient(controller).refresh(token);
    expect(again.status).toBe(200);
    const sessions = [answer, again].map(({ body }) => claimsOf(String(body.access_token)).z_asid);
    expect(sessions[1]).toBe(sessions[0]);
  });

  test('a client that logged in the older way goes on as well', async () => {
    const { older } = ended;
    expect(older.pool).toContain(urlOf(controller));
    expect(await identityOf(older)).toBe(device.id);
    expect((await older.api('GET', '/current-api-session')).status).toBe(200);
    expect((await older.api('DELETE', '/current-api-session')).status).toBe(200);
    expect((await older.api('GET', '/current-identity')).status).toBe(401);
  });

  test('a client that learns of it, since it was alive a moment ago, logs in elsewhere', async () => {
    await enliven(ending);
    const client = clientOf([urlOf(controller)]);
    await client.logIn();
    expect(client.pool).toContain(urlOf(ending));
    client.active = urlOf(ending);
    await client.logIn();
    expect(client.active).toBe(urlOf(controller));
  });
});

/** Clients in the middle of something when their controller ended. */
interface Ended {
  readonly browser: Pick<LoginClient, 'id' | 'verifier'> & { readonly username: string };
  readonly client: PoolClient;
  readonly older: PoolClient;
  readonly lostRefresh: { readonly token: string; readonly answer: OidcAnswer };
}

async function useAndKill(ending: ControllerProcess): Promise<Ended> {
  const { certificate } = device;
  await enliven(controller);
  const client = new PoolClient({ urls: [urlOf(ending)], certificate });
  const { refresh_token: subject_token } = await client.logIn();
  const half = await new LoginClient(ending, { certificate }).token({
    ...{ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', subject_token },
    subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token',
  });
  expect(half.status).toBe(200);
  const older = new PoolClient({ urls: [urlOf(ending)], certificate });
  await older.logInByOlderWay();
  const { username } = await newPerson(controller);
  const browser = new LoginClient(ending);
  const { refresh_token: token } = await browser.logInByPassword(username, PASSWORD);
  const answer = await browser.refresh(token);
  expect(answer.status).toBe(200);
  const id = await browser.begin();
  await kill(ending);
  const { verifier } = browser;
  return { client, older, lostRefresh: { token, answer }, browser: { id, verifier, username } };
}

describe('the list of controllers', () => {
  describe('with a second one', () => {
    let second: ControllerProcess;

    beforeAll(async () => {
      second = await startControllerProcess({ with: controller, env: ENV });
    });
    afterAll(() => end(second));

    test('has all that run, with the addresses for clients alone', async () => {
      for (const on of [controller, second]) {
        const list = await listed(on);
        expect(clientUrls(list)).toEqual([urlOf(controller), urlOf(second)].sort());
        for (const { isOnline, apiAddresses } of list) {
          expect(isOnline).toBe(true);
          const url = apiAddresses['edge-client']?.[0]?.url ?? '';
          expect(apiAddresses).toEqual({
            'edge-client': [{ url, version: 'v1' }],
            'edge-oidc': [{ url: `${new URL(url).origin}/oidc`, version: 'v1' }],
          });
        }
      }
    });

    test('is the same in the answer to an enrollment', async () => {
      const id = await controller.create('identities', {
        ...{ name: unique('invited'), type: 'Default', isAdmin: false, enrollment: { ott: true } },
      });
      const invited = await controller.rest('GET', `/identities/${id}`);
      const { token } = (invited.body.data as Invited).enrollment.ott;
      const answer = await controller.rest('POST', `/edge/client/v1/enroll?token=${token}`, {
        clientCsr: await newCsr(newKey()),
      });
      const { controllers } = answer.body.data as { controllers: readonly ListedController[] };
      expect(clientUrls(controllers)).toEqual([urlOf(controller), urlOf(second)].sort());
      expect(controllers).toEqual(await listed(controller));
    });

    test('can be filtered, sorted and paged', async () => {
      await enliven(controller, second);
      const [own] = (await listed(second)).filter(
        ({ apiAddresses }) => apiAddresses['edge-client']?.[0]?.url === urlOf(second),
      );
      const path = '/edge/client/v1/controllers';
      const filter = encodeURIComponent(`id = "${own?.id ?? ''}"`);
      const one = await controller.rest('GET', `${path}?filter=${filter}`);
      expect(clientUrls(one.body.data)).toEqual([urlOf(second)]);
      const page = await controller.rest('GET', `${path}?limit=1&offset=1`);
      expect(page.body.data).toHaveLength(1);
      expect(page.body.meta.pagination).toEqual({ limit: 1, offset: 1, totalCount: 2 });
    });
  });

  test('does not have one that has stopped', async () => {
    const stopped = await start();
    await enliven(stopped);
    expect(clientUrls(await listed(controller))).toContain(urlOf(stopped));
    await stopped.stop();
    expect(clientUrls(await listed(controller))).not.toContain(urlOf(stopped));
  });

  test('has one entry for an address that several share, as behind a balancer', async () => {
    const advertised = { OVERGRAPH_ADVERTISE: `localhost:${String(controller.port)}` };
    const shared = await start(advertised);
    for (const on of [controller, shared]) {
      expect(clientUrls(await listed(on))).toEqual([urlOf(controller)]);
    }
  });

  test('does not have one without a sign of life, until it is back, at another address', async () => {
    const moved = await start();
    await kill(moved);
    await silence(moved);
    expect(clientUrls(await listed(controller))).toEqual([urlOf(controller)]);
    const there = await start({ OVERGRAPH_DATA_DIR: moved.dataDir });
    await enliven(there);
    expect(clientUrls(await listed(controller))).toEqual([urlOf(controller), urlOf(there)].sort());
  });

  test('has the controller that answers, even if its signs of life are late', async () => {
    await silence(controller);
    expect(clientUrls(await listed(controller))).toEqual([urlOf(controller)]);
  });

  test('of a controller that does not announce OpenID Connect has that one alone', async () => {
    const older = await start({ OVERGRAPH_OIDC: 'serve' });
    expect(clientUrls(await listed(older))).toEqual([urlOf(older)]);
    expect((await listed(older))[0]?.apiAddresses).not.toHaveProperty('edge-oidc');
    expect(clientUrls(await listed(controller))).not.toContain(urlOf(older));
  });
});
