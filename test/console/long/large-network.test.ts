import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Response } from 'playwright-core';
import { fillTables, sizeFor } from '../../bench/network.js';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/** A network of 100,000 identities in a browser: pages answer, and load a bounded part of it. */

const MINUTES = 60_000;
const IDENTITIES = 100_000;
/** A page loads at most so much of the graph, however large the network is. */
const MAX_BYTES = 2_000_000;
const MAX_REQUESTS = 40;

const opened = useConsole();
let answers: Promise<number>[] = [];

beforeAll(async () => {
  await opened.endController();
  await fillTables(opened.controller.databaseUrl, sizeFor(IDENTITIES));
  await opened.startAgain();
}, 5 * MINUTES);

const sizeOf = (response: Response): Promise<number> =>
  response.body().then(
    ({ length }) => length,
    // The page has left behind what it asked for.
    () => 0,
  );

/** The sizes of all answers since the test began. */
async function expectLittle(): Promise<void> {
  const sizes = await Promise.all(answers);
  expect(sizes.length).toBeLessThan(MAX_REQUESTS);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
}

const row = (name: string | RegExp) => opened.page.getByRole('row', { name }).first();
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const status = (text: string) => opened.page.getByRole('status').getByText(text, { exact: true });

inBrowser('with 100,000 identities', () => {
  beforeAll(async () => {
    await opened.page.reload();
    await opened.enter();
    opened.page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/graphql') answers.push(sizeOf(response));
    });
  }, MINUTES);
  beforeEach(() => {
    answers = [];
  });

  test(
    'the overview counts them',
    async () => {
      await opened.open('/');
      const counts = opened.page.getByRole('region', { name: 'Entities' });
      await counts.getByRole('row', { name: /^Identities\s+100,001$/ }).waitFor();
      await expectLittle();
    },
    MINUTES,
  );

  test(
    'the list scrolls from the first to the last',
    async () => {
      await opened.open('/entities/identities');
      await status('100,001 entries').waitFor();
      await row(/identity-0000001/).waitFor();
      const list = opened.page.getByRole('region', { name: 'Identities' });
      await list.press('End');
      await row(/identity-0100000/).waitFor();
      await list.press('Home');
      await row(/identity-0000001/).waitFor();
      await expect(opened.page.getByRole('row').count()).resolves.toBeLessThan(150);
      await expectLittle();
    },
    MINUTES,
  );

  test(
    'the list is filtered and ordered',
    async () => {
      await opened.page
        .getByRole('combobox', { name: 'Filter' })
        .fill('anyOf(roleAttributes) = "team-7"');
      await button('Filter').click();
      await status('100,001 entries').waitFor({ state: 'detached' });
      await button('Name').click();
      await row(/identity-0099/).waitFor();
      await opened.page.getByRole('combobox', { name: 'Filter' }).fill('identity-0050000');
      await button('Filter').click();
      await status('1 entry').waitFor();
      await expectLittle();
    },
    MINUTES,
  );

  test(
    'the search finds one of them',
    async () => {
      await opened.page.getByRole('heading', { name: 'Identities', level: 1, exact: true }).click();
      await opened.page.keyboard.press('/');
      await opened.page.keyboard.type('identity-0050000');
      await opened.page.keyboard.press('Enter');
      await row(/identity-0050000\s+Identity/)
        .getByRole('link')
        .first()
        .press('Enter');
      await opened.page
        .getByRole('heading', { name: 'identity-0050000', level: 1, exact: true })
        .waitFor();
      await expectLittle();
    },
    MINUTES,
  );

  test(
    'the map shows all of them, as a picture and as tables',
    async () => {
      await opened.open('/map');
      await opened.page.getByText(/^Identities: 100,001 in/).waitFor();
      const canvas = opened.page.getByRole('application');
      await canvas.and(opened.page.locator('[aria-busy=false]')).waitFor();
      await opened.page.getByRole('tab', { name: 'Classes and policies' }).click();
      await opened.page.getByRole('row').nth(1).waitFor();
      await expect(opened.page.getByRole('row').count()).resolves.toBeLessThan(300);
      await expectLittle();
    },
    2 * MINUTES,
  );

  test(
    'findings are listed',
    async () => {
      await opened.open('/findings');
      await opened.page
        .getByRole('region', { name: 'Findings' })
        .getByRole('row')
        .nth(1)
        .waitFor({ timeout: MINUTES });
    },
    2 * MINUTES,
  );

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults.filter((fault) => !fault.includes('ERR_CONNECTION'))).toEqual([]);
  });
});
