import { beforeAll, expect, test } from '@jest/globals';
import type { Response } from 'playwright-core';
import { inBrowser, useConsole } from '../support/console-in-browser.js';
import { ODD_NETWORK } from '../support/odd-network.js';

/** Every page of every entity of a network with odd names: each opens, and each form saves. */

const opened = useConsole();
const MINUTES = 60_000;
const MAX_OF_A_KIND = 25;

interface GraphAnswer {
  readonly errors?: readonly { readonly message: string }[];
}

const IMPORT = `mutation ($document: JSON!) {
  importNetwork(document: $document) { faultCount faults { message } failure }
}`;

/** Errors in answers of the graph, with the pages that asked. */
const refusals: string[] = [];

beforeAll(async () => {
  const { data } = await opened.controller.graphql(IMPORT, { document: ODD_NETWORK });
  expect(data).toEqual({ importNetwork: { faultCount: 0, faults: [], failure: null } });
});

async function noteRefusal(response: Response): Promise<void> {
  if (!response.url().endsWith('/graphql')) return;
  // The page may have left behind what it asked for.
  const answer = await response.json().catch(() => ({}));
  for (const { message } of (answer as GraphAnswer).errors ?? []) {
    refusals.push(`${response.frame().url()}: ${message}`);
  }
}

const tab = (name: string) => opened.page.getByRole('tab', { name, exact: true });

/** Goes to a page as a link does, without loading everything again. */
async function goTo(path: string): Promise<void> {
  await opened.page.evaluate(`
    history.pushState({}, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'));
  `);
}

/** Waits for the answers, and notes what a reader would see of a fault. */
async function expectSound(place: string): Promise<void> {
  const main = opened.page.locator('main');
  await main.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  await main.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  expect([place, await opened.page.getByRole('alert').allInnerTexts()]).toEqual([place, []]);
  const widths = '[document.documentElement.scrollWidth, innerWidth]';
  const [shown, screen] = await opened.page.evaluate<[number, number]>(widths);
  expect([place, shown]).toEqual([place, screen]);
}

/** The addresses of all links in a part of the page. */
const linksIn = (part: string): Promise<readonly string[]> =>
  opened.page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('${part} a')].map((link) => link.getAttribute('href'))`,
  );

/** Asks the controller for the example that the page of a list has in the field of its filter. */
async function expectExampleOf(list: string): Promise<void> {
  const field = opened.page.getByRole('combobox', { name: 'Filter' });
  const filter = await field.getAttribute('placeholder');
  const name = list.slice(list.lastIndexOf('/') + 1);
  const query = `query ($filter: String) { ${name}(filter: $filter) { totalCount } }`;
  const { errors } = await opened.controller.graphql(query, { filter });
  expect([list, filter, errors]).toEqual([
    list,
    expect.stringMatching(/ (=|>|contains) /),
    undefined,
  ]);
}

/** The addresses of the pages to which a list leads. */
async function entitiesOf(list: string): Promise<readonly string[]> {
  await goTo(list);
  await opened.page.getByRole('status').getByText(/entr/).first().waitFor();
  await expectSound(list);
  const addresses = await linksIn('main [role=table]');
  const pages = addresses.filter((address) => address.startsWith(`${list}/`));
  return [...new Set(pages)].slice(0, MAX_OF_A_KIND);
}

async function openTabs(address: string): Promise<void> {
  await goTo(address);
  await tab('Attributes').waitFor();
  await expectSound(address);
  for (const name of await opened.page.getByRole('tab').allInnerTexts()) {
    await tab(name).click();
    await expectSound(`${address} ${name}`);
  }
}

/** Saves another tag by the form, where one is offered. */
async function saveTag(address: string): Promise<boolean> {
  const { page } = opened;
  const edit = page.getByRole('main').getByRole('link', { name: 'Edit', exact: true });
  if ((await edit.count()) === 0) return false;
  await edit.click();
  const tags = page.getByRole('textbox', { name: 'Tags', exact: true });
  await tags.fill('{ "seen": "yes" }');
  await expectSound(`${address} form`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await tab('Attributes').waitFor();
  await page.getByRole('definition').filter({ hasText: 'seen' }).first().waitFor();
  return true;
}

inBrowser('a network with odd names', () => {
  let lists: readonly string[] = [];

  beforeAll(async () => {
    opened.page.on('response', (response) => void noteRefusal(response));
    await opened.enter();
    const addresses = await linksIn('nav');
    lists = addresses.filter((address) => address.includes('/entities/'));
  });

  test(
    'has a page, tabs and a form for every entity',
    async () => {
      expect(lists.length).toBeGreaterThan(20);
      let [seen, saved] = [0, 0];
      for (const list of lists) {
        for (const address of await entitiesOf(list)) {
          await openTabs(address);
          seen += 1;
          if (await saveTag(address)) saved += 1;
        }
      }
      expect(seen).toBeGreaterThan(120);
      expect(saved).toBeGreaterThan(100);
    },
    15 * MINUTES,
  );

  test(
    'has an example of a filter for every list, and a form for every new entity',
    async () => {
      for (const list of lists) {
        await goTo(list);
        await opened.page.getByRole('heading', { level: 1 }).waitFor();
        await expectExampleOf(list);
        const create = opened.page.getByRole('main').getByRole('link', { name: 'New' });
        if ((await create.count()) === 0) continue;
        await create.click();
        await opened.page.getByRole('heading', { name: /^New/, level: 1 }).waitFor();
        await expectSound(`new of ${list}`);
      }
    },
    5 * MINUTES,
  );

  test.each([
    ['/', 'Overview'],
    ['/my-access', 'My access'],
    ['/my-access?view=offers', 'My access'],
    ['/my-access?view=decisions', 'My access'],
    ['/findings', 'Findings'],
    ['/map', 'Map'],
    ['/changes', 'Changes'],
    ['/map?view=nodes', 'Map'],
    ['/traffic', 'Routers and traffic'],
    ['/map?view=edges', 'Map'],
    ['/search?text=app', 'Search for “app”'],
  ])('is shown by %s', async (path, title) => {
    await goTo(`/console${path}`);
    await opened.page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor();
    await expectSound(path);
  });

  test('was answered without an error', () => {
    expect(refusals).toEqual([]);
    expect(opened.faults).toEqual([]);
  });
});
