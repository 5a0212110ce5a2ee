import { expect, test } from '@jest/globals';
import { inBrowser, longTest, useConsole } from './support/console-in-browser.js';

/** The first page, the change log and the search in a browser. */

const opened = useConsole();
const region = (name: string) => opened.page.getByRole('region', { name });

inBrowser('the overview', () => {
  test('shows routers, findings, logins and controllers', async () => {
    await opened.controller.create('edge-routers', { name: 'berlin' });
    await opened.enter();
    await expect(region('Edge routers').innerText()).resolves.toMatch(/1 not enrolled/);
    await region('Findings')
      .getByText(/^\d+ high$/)
      .waitFor();
    await region('Controllers').getByText('online', { exact: true }).waitFor();
    await region('Ends soon or ended lately')
      .getByRole('row', { name: /berlin/ })
      .waitFor();
  });

  test('lets an administrator approve an identity that waits, and shows what it gets', async () => {
    const { controller, page } = opened;
    await controller.create('services', { name: 'handbook', encryptionRequired: true });
    await controller.create('service-policies', {
      ...{ name: 'laptops read', type: 'Dial', semantic: 'AnyOf', postureCheckRoles: [] },
      ...{ identityRoles: ['#laptops'], serviceRoles: ['#all'] },
    });
    await controller.create('identities', {
      ...{ name: 'new laptop', type: 'Default', isAdmin: false, isPending: true },
      roleAttributes: ['laptops'],
    });
    const queue = region('Identities that wait for an approval');
    await queue
      .getByRole('row', { name: /new laptop/ })
      .getByRole('button', { name: 'Decide' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Approve new laptop?' });
    await dialog.getByRole('row', { name: /handbook\s+Dial/ }).waitFor();
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await queue.waitFor({ state: 'detached' });
  });

  test('counts anew when something changes', async () => {
    const count = region('Entities').getByRole('row', { name: /^Services/ });
    await expect(count.innerText()).resolves.toMatch(/\s1$/);
    await opened.controller.create('services', { name: 'wiki', encryptionRequired: true });
    await region('Entities')
      .getByRole('row', { name: /^Services\s+2$/ })
      .waitFor();
  });

  longTest('keeps what it shows while the controller can not answer', async () => {
    const { controller, page } = opened;
    const extensions = { code: 'UNAVAILABLE', status: 503, retryAfter: 1 };
    const refusal = { data: { overview: null }, errors: [{ message: 'Not now', extensions }] };
    // With the status 200, as a browser counts any other one as an error of the page.
    await page.route(/\/graphql$/, (route) => route.fulfill({ json: refusal }));
    // When the second one is asked for, the page has shown the first one.
    for (const name of ['chat', 'mail']) {
      const refused = page.waitForResponse(
        (response) => response.request().postData()?.includes('query Overview{') === true,
      );
      await controller.create('services', { name, encryptionRequired: true });
      await refused;
    }
    const count = region('Entities').getByRole('row', { name: /^Services/ });
    await expect(count.innerText()).resolves.toMatch(/\s2$/);
    await page.unrouteAll();
    await controller.create('services', { name: 'calendar', encryptionRequired: true });
    await region('Entities')
      .getByRole('row', { name: /^Services\s+5$/ })
      .waitFor();
  });
});

inBrowser('the change log', () => {
  test('shows changes as they happen', async () => {
    await opened.page.getByRole('link', { name: 'Changes', exact: true }).click();
    await opened.page.getByRole('row', { name: /Create\s+Service\s+wiki/ }).waitFor();
    await opened.controller.create('services', { name: 'vault', encryptionRequired: true });
    await opened.page.getByRole('row', { name: /Create\s+Service\s+vault/ }).waitFor();
  });

  test('finds changes by the name of the entity', async () => {
    await opened.page.getByRole('combobox', { name: 'Filter' }).fill('wiki');
    await opened.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await opened.page.getByRole('status').getByText('1 entry').waitFor();
  });
});

inBrowser('the search', () => {
  test('finds entities of all kinds, by keyboard alone', async () => {
    await opened.page.getByRole('heading', { name: 'Changes' }).click();
    await opened.page.keyboard.press('/');
    await opened.page.keyboard.type('berlin');
    await opened.page.keyboard.press('Enter');
    const hit = opened.page.getByRole('row', { name: /berlin\s+Edge router/ });
    await hit.getByRole('link').press('Enter');
    await opened.page.getByRole('heading', { name: 'berlin', level: 1, exact: true }).waitFor();
  });

  longTest('has answers for a number in the address, too', async () => {
    await opened.open('/search?text=42');
    await opened.page.getByRole('heading', { name: 'Search for “42”' }).waitFor();
  });
});

/** Logs in as somebody with these permissions. */
async function enterAs(name: string, permissions: readonly string[]): Promise<void> {
  const { controller, page } = opened;
  const identity = { name, type: 'Default', isAdmin: false, permissions };
  const identityId = await controller.create('identities', identity);
  const login = { method: 'updb', identityId, username: name, password: PASSWORD };
  await controller.create('authenticators', login);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('link', { name, exact: true }).waitFor();
}

const PASSWORD = 'a password of somebody';
const pages = () => opened.page.getByRole('navigation').getByRole('link').allInnerTexts();

inBrowser('a caller with few permissions', () => {
  longTest('is offered what it may read, and told what it may not', async () => {
    await enterAs('reader', ['identity.read', 'service.read']);
    await opened.open('/');
    await region('Entities')
      .getByRole('row', { name: /^Identities/ })
      .waitFor();
    // Access follows from more than these.
    expect(await pages()).toEqual(['Overview', 'My access', 'Identities', 'Services']);
    for (const address of ['/findings', '/entities/configs', '/ask?identity=x&service=y']) {
      await opened.open(address);
      await opened.page.getByText('You have no permission for this.').first().waitFor();
    }
  });

  longTest('gets no form by its address for what it may not do', async () => {
    const { body } = await opened.controller.rest('GET', '/services');
    const [service] = body.data as [{ readonly id: string }];
    for (const address of ['/create/services', `/edit/services/${service.id}`, '/reviews/new']) {
      await opened.open(address);
      await opened.page.getByText('You have no permission for this.').waitFor();
      await expect(opened.page.getByRole('textbox').count()).resolves.toBe(0);
    }
  });

  test('has an overview of nothing without any', async () => {
    await enterAs('nobody', []);
    await opened.open('/');
    await opened.page.getByText('You have no permission to read any kind of entity.').waitFor();
    expect(await pages()).toEqual(['Overview', 'My access']);
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
