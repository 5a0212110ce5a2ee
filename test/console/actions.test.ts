import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN_PASSWORD } from '../support/controller.js';
import { inBrowser, useConsole } from './support/console-in-browser.js';

/** What administrators do with an entity beside changing and deleting it, in a browser. */

const opened = useConsole();
const PASSWORD = 'a password of somebody';
const people: Record<string, string> = {};

beforeAll(async () => {
  const { controller } = opened;
  for (const [name, ...permissions] of [
    ['adam'],
    ['rita', 'admin_readonly'],
    ['thomas', 'terminator.read'],
  ]) {
    const identity = { name, type: 'Default', isAdmin: false, permissions };
    const id = await controller.create('identities', { ...identity, roleAttributes: ['staff'] });
    const login = { method: 'updb', identityId: id, username: name, password: PASSWORD };
    await controller.create('authenticators', login);
    people[name ?? ''] = id;
  }
});

const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const dialog = () => opened.page.getByRole('dialog');

/** Opens the question of an action and agrees to it. */
async function run(action: string, now: string): Promise<void> {
  await button(action).click();
  await dialog().getByRole('button', { name: now, exact: true }).click();
  await dialog().waitFor({ state: 'detached' });
}

async function goOnAs(name: string, password: string): Promise<void> {
  const { page } = opened;
  await button('Log out').click();
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByLabel('Name').fill(name);
  await button('Log in').click();
  await page.getByRole('link', { name, exact: true }).waitFor();
}

const statusOf = async (token: string): Promise<number> =>
  (await opened.controller.rest('GET', '/current-identity', undefined, { 'zt-session': token }))
    .status;

inBrowser('the page of an identity', () => {
  test('ends its sessions, and leaves its login', async () => {
    const { controller } = opened;
    const [one, two] = [
      await controller.login('adam', PASSWORD),
      await controller.login('adam', PASSWORD),
    ];
    await opened.enter();
    await opened.open(`/entities/identities/${people.adam ?? ''}`);
    await button('End its sessions').click();
    await dialog()
      .getByText(/^All its API sessions end now/)
      .waitFor();
    await opened.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await statusOf(one)).toBe(200);
    await run('End its sessions', 'End them now');
    expect([await statusOf(one), await statusOf(two)]).toEqual([401, 401]);
    expect(await statusOf(await controller.login('adam', PASSWORD))).toBe(200);
  });

  test('disables it and enables it again', async () => {
    const { controller } = opened;
    const session = await controller.login('adam', PASSWORD);
    await run('Disable', 'Disable now');
    await button('Enable').waitFor();
    await expect(button('Disable').count()).resolves.toBe(0);
    expect(await statusOf(session)).toBe(401);
    await expect(controller.login('adam', PASSWORD)).rejects.toThrow('login');
    await run('Enable', 'Enable now');
    await button('Disable').waitFor();
    expect(await statusOf(await controller.login('adam', PASSWORD))).toBe(200);
  });

  test('offers only what the caller may do', async () => {
    await goOnAs('rita', PASSWORD);
    await opened.open(`/entities/identities/${people.adam ?? ''}`);
    await opened.page.getByRole('tab', { name: 'Attributes' }).waitFor();
    for (const action of ['Disable', 'Enable', 'End its sessions']) {
      await expect(button(action).count()).resolves.toBe(0);
    }
    await goOnAs('admin', ADMIN_PASSWORD);
  });
});

inBrowser('the page of a directory', () => {
  const scim = async (token: string, method: string, path: string, body?: object) =>
    opened.controller.send<Record<string, unknown>>(method, `/scim/v2${path}`, {
      ...(body ? { body: JSON.stringify(body) } : {}),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    });
  let token: string;

  test('issues a token, and shows it once', async () => {
    const { controller, page } = opened;
    const directory = { name: 'company', roleAttributePrefix: 'company:' };
    const id = await controller.create('directories', directory);
    await opened.open(`/entities/directories/${id}`);
    await button('Issue a token').click();
    await dialog().getByLabel('Where it is used').fill('the provider');
    await dialog().getByRole('button', { name: 'Issue it', exact: true }).click();
    await dialog().getByText('The token is shown this once.').waitFor();
    token = await dialog().locator('.code').innerText();
    await opened.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(token);
    expect((await scim(token, 'GET', '/Users')).status).toBe(200);
    const { body } = await controller.rest('GET', '/directory-tokens');
    expect(body.data).toMatchObject([{ note: 'the provider' }]);
  });

  test('deletes it with its users and their identities, if that is wanted', async () => {
    const { controller, page } = opened;
    const user = await scim(token, 'POST', '/Users', { userName: 'lea@example.com' });
    expect(user.status).toBe(201);
    await button('Delete with its users').click();
    await dialog().getByRole('checkbox').check();
    await dialog().getByRole('button', { name: 'Delete it now', exact: true }).click();
    await page.getByRole('heading', { name: 'Directories', level: 1, exact: true }).waitFor();
    expect((await scim(token, 'GET', '/Users')).status).toBe(401);
    expect((await controller.rest('GET', `/identities/${String(user.body.id)}`)).status).toBe(404);
  });
});

inBrowser('the page of an access request', () => {
  test('marks an emergency as reviewed, and ends the grant', async () => {
    const { controller } = opened;
    const offerId = await controller.create('access-offers', {
      ...{ name: 'emergency', roleAttribute: 'vault', requesterRoles: ['#staff'] },
      ...{ approval: 'BREAK_GLASS', maxMinutes: 60 },
    });
    const session = await controller.login('adam', PASSWORD);
    const request = { offerId, reason: 'the house is on fire', minutes: 10 };
    const asked = await controller.rest('POST', '/access-requests', request, {
      'zt-session': session,
    });
    const { id } = asked.body.data as { id: string };
    const stateOf = async (): Promise<unknown> =>
      (
        await controller.graphql(
          'query ($id: ID!) { accessRequest(id: $id) { state comment reviewedById } }',
          { id },
        )
      ).data;
    await opened.open(`/entities/accessRequests/${id}`);
    await button('Mark as reviewed').click();
    await dialog().getByLabel('Comment').fill('it was on fire');
    await dialog().getByRole('button', { name: 'It is reviewed', exact: true }).click();
    await button('Mark as reviewed').waitFor({ state: 'detached' });
    expect(await stateOf()).toMatchObject({
      accessRequest: {
        state: 'GRANTED',
        comment: 'it was on fire',
        reviewedById: expect.any(String),
      },
    });
    await run('End the grant', 'End it now');
    await button('End the grant').waitFor({ state: 'detached' });
    expect(await stateOf()).toMatchObject({
      accessRequest: { state: 'REVOKED', comment: 'it was on fire' },
    });
  });
});

inBrowser('somebody who may read terminators alone', () => {
  test('has their list and their pages, with the ids of the other entities', async () => {
    const { controller, page } = opened;
    const service = await controller.create('services', { name: 'wiki', encryptionRequired: true });
    const router = await controller.create('edge-routers', { name: 'quay' });
    const address = 'tcp:localhost:443';
    const terminator = { service, router, binding: 'transport', address };
    const id = await controller.create('terminators', terminator);
    await goOnAs('thomas', PASSWORD);
    await opened.open('/entities/terminators');
    await page.getByRole('row', { name: new RegExp(`${service}.*${address}`, 's') }).waitFor();
    await opened.open(`/entities/terminators/${id}`);
    await page.getByRole('definition').filter({ hasText: router }).waitFor();
    await expect(page.getByRole('alert').count()).resolves.toBe(0);
  });
});
