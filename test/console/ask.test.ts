import { beforeAll, expect, test } from '@jest/globals';
import type { Request } from 'playwright-core';
import { inBrowser, useConsole } from './support/console-in-browser.js';

/** Questions about access in a browser. */

const opened = useConsole();
let ada: string;
let vault: string;
let policy: string;

beforeAll(async () => {
  const { controller } = opened;
  const identity = (name: string, roleAttributes: string[]) =>
    controller.create('identities', { name, type: 'Default', isAdmin: false, roleAttributes });
  const service = (name: string, roleAttributes: string[]) =>
    controller.create('services', { name, encryptionRequired: true, roleAttributes });
  const servicePolicy = (
    name: string,
    semantic: string,
    identityRoles: string[],
    serviceRoles: string[],
  ) =>
    controller.create('service-policies', {
      name,
      type: 'Dial',
      semantic,
      identityRoles,
      serviceRoles,
    });
  ada = await identity('ada', ['staff']);
  await identity('bob', ['guests']);
  await service('wiki', ['intranet']);
  vault = await service('vault', ['secret']);
  policy = await servicePolicy('staff reads', 'AnyOf', ['#staff'], ['#intranet']);
  await servicePolicy('the cleared', 'AllOf', ['#staff', '#cleared'], ['#secret']);
  await servicePolicy('the sworn', 'AllOf', ['#staff', '#sworn'], ['#sealed']);
  await controller.create('edge-routers', { name: 'berlin' });
  await controller.create('edge-router-policies', {
    name: 'all go by berlin',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
});

const region = (name: string) => opened.page.getByRole('region', { name });
const answer = () => opened.page.getByRole('status', { name: 'Answer' });
const textOfAnswer = () => answer().getByRole('heading').innerText();

/** Chooses by a part of the name, as people do. */
async function choose(label: string, part: string, name: string): Promise<void> {
  const field = opened.page.getByRole('combobox', { name: label });
  await field.fill(part);
  await opened.page.getByRole('option', { name, exact: true }).click();
}

/** Whether a request asks the graph by the operation of this name. */
const asks = (request: Request, operation: string): boolean =>
  request.postData()?.includes(`query ${operation}(`) === true;

inBrowser('the page of questions', () => {
  test('lists what an identity reaches', async () => {
    await opened.enter();
    await opened.page.keyboard.press('g');
    await opened.page.keyboard.press('q');
    await choose('Identity', 'AD', 'ada');
    const table = opened.page.getByRole('table', { name: 'What this identity reaches' });
    const row = table.getByRole('row', { name: /wiki/ });
    await expect(row.innerText()).resolves.toMatch(/ada\s+wiki\s+Dial\s+staff reads\s+–\s+Why/);
    await expect(table.getByRole('row').count()).resolves.toBe(2);
  });

  test('explains why, by the link of a row', async () => {
    await opened.page.getByRole('link', { name: 'Why' }).click();
    await expect(textOfAnswer()).resolves.toBe('ada may dial wiki, but can not now.');
    await expect(answer().getByRole('listitem').allInnerTexts()).resolves.toEqual([
      'The identity and the service have no edge router in common.',
      'No terminator hosts the service.',
    ]);
    const grants = region('Policies that grant it').getByRole('row', { name: /staff reads/ });
    await expect(grants.innerText()).resolves.toMatch(/staff reads\s+Any of\s+#staff\s+#intranet/);
    const router = region('Edge routers').getByRole('row', { name: /berlin/ });
    await expect(router.innerText()).resolves.toMatch(
      /berlin\s+offline\s+no\s+all go by berlin\s+–/,
    );
  });

  test('says since when, and by which change', async () => {
    await opened.page.getByRole('link', { name: 'Look through the change log' }).click();
    const row = region('Since when').getByRole('row', { name: /given/ });
    await expect(row.innerText()).resolves.toMatch(
      /given\s+Create service policy staff reads\s+admin/,
    );
  });

  test('answers anew when the network changes', async () => {
    await opened.controller.rest('DELETE', `/service-policies/${policy}`);
    await answer().getByText('may not').waitFor();
    await region('Since when')
      .getByRole('row', { name: /taken away/ })
      .waitFor();
  });

  test('asks about the past, just after a change', async () => {
    await region('Since when')
      .getByRole('row', { name: /given/ })
      .getByRole('link', { name: 'Ask about then' })
      .click();
    await answer().getByText('of the past are not known').waitFor();
    await expect(textOfAnswer()).resolves.toBe('ada may dial wiki.');
    await opened.page.getByRole('button', { name: 'Ask about now' }).click();
    await answer().getByText('may not').waitFor();
  });

  test('names the nearest policy and what is missing, by its address', async () => {
    await opened.open(`/ask?identity=${ada}&service=${vault}`);
    await expect(textOfAnswer()).resolves.toBe('ada may not dial vault.');
    const misses = region('Nearest policies that do not grant it');
    const first = misses.getByRole('listitem').first();
    await expect(first.innerText()).resolves.toMatch(
      /^the cleared\s+All of\s+1 addition is missing/,
    );
    await expect(first.innerText()).resolves.toContain(
      'Give “ada” #cleared. This gives access to 1 pair of an identity and a service.',
    );
  });

  test('shows no answer to another question, neither before its own nor without it', async () => {
    const { page } = opened;
    const refusal = {
      data: { access: null },
      errors: [{ message: 'Not now', extensions: { code: 'UNAVAILABLE', status: 503 } }],
    };
    let refuse: () => Promise<void> = () => Promise.resolve();
    const isHeld = new Promise<void>((resolve) => {
      void page.route(/\/graphql$/, async (route) => {
        if (!asks(route.request(), 'WhyAccess')) {
          await route.continue();
          return;
        }
        refuse = () => route.fulfill({ json: refusal });
        resolve();
      });
    });
    const hasNames = page.waitForResponse((response) => asks(response.request(), 'PairNames'));
    await choose('Identity', 'bo', 'bob');
    await Promise.all([isHeld, hasNames.then((response) => response.finished())]);
    await page.getByText('Loading').first().waitFor();
    await expect(answer().count()).resolves.toBe(0);
    await refuse();
    await page.getByRole('alert').waitFor();
    await expect(answer().count()).resolves.toBe(0);
    await page.unrouteAll();
    await page.reload();
    await expect(textOfAnswer()).resolves.toBe('bob may not dial vault.');
    await opened.open(`/ask?identity=${ada}&service=${vault}`);
  });

  test('drafts what several policies miss, for one list together', async () => {
    await opened.page.getByRole('button', { name: 'Add to the draft: the cleared' }).click();
    await region('Update ada').getByText('cleared').waitFor();
    await opened.page.goBack();
    await opened.page.getByRole('button', { name: 'Add to the draft: the sworn' }).click();
    await region('Update ada').getByText('sworn').waitFor();
    const roles = await region('Update ada').getByRole('cell').last().innerText();
    expect(roles.split(/\s+/)).toEqual(['cleared', 'staff', 'sworn']);
  });

  test('is asked from the page of a service', async () => {
    await opened.open(`/entities/services/${vault}`);
    await opened.page.getByRole('link', { name: 'Ask who reaches it' }).click();
    await opened.page.getByRole('heading', { name: 'Who reaches this service' }).waitFor();
    await expect(opened.page.getByText('Nothing here.').innerText()).resolves.toBe('Nothing here.');
    expect(opened.page.url()).toMatch(new RegExp(`/console/ask\\?service=${vault}$`));
  });

  test('says until when a role assignment gives the attribute, and why', async () => {
    const activeUntil = new Date(Date.now() + 3_600_000).toISOString();
    const assignment = { identityId: ada, roleAttribute: 'cleared', activeUntil, reason: 'audit' };
    await opened.controller.create('role-assignments', assignment);
    await opened.open(`/ask?identity=${ada}&service=${vault}`);
    await answer().getByText('may dial').waitFor();
    const row = region('Policies that grant it').getByRole('row', { name: /the cleared/ });
    await expect(row.innerText()).resolves.toMatch(
      /#cleared\s+#staff\s+#cleared until .+, asked for by admin: audit\s+#secret/,
    );
    await row.getByRole('link', { name: '#cleared' }).click();
    await opened.page.waitForURL(/\/entities\/roleAssignments\//);
  });

  test('says plainly what the check for a second factor found, and what it wants', async () => {
    const { controller } = opened;
    const check = { name: 'second factor', typeId: 'MFA', timeoutSeconds: 600, promptOnWake: true };
    const checkId = await controller.create('posture-checks', check);
    await controller.create('service-policies', {
      name: 'ada with a factor',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${ada}`],
      serviceRoles: [`@${vault}`],
      postureCheckRoles: [`@${checkId}`],
    });
    const login = { username: 'ada-login', password: 'p-ada-12345' };
    await controller.create('authenticators', { method: 'updb', identityId: ada, ...login });
    await controller.login(login.username, login.password);
    await opened.open(`/ask?identity=${ada}&service=${vault}`);
    const grants = region('Policies that grant it');
    await grants.getByText('Found: the second factor was not given in this session').waitFor();
    await grants
      .getByText(
        'Wanted: the second factor, given at most 600 seconds ago, given again after the device wakes up',
        { exact: true },
      )
      .waitFor();
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
