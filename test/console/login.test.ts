import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ADMIN_PASSWORD, startController, type TestController } from '../support/controller.js';
import { launchBrowser } from './chromium.js';

/** Login, session and frame of the console in a browser. */

const browser = await launchBrowser();
const inBrowser = typeof browser === 'string' ? describe.skip : describe;
if (typeof browser === 'string') process.stderr.write(`skipped: ${browser}\n`);

let controller: TestController;
let page: Page;
/** What the browser refused or reported as an error. */
const faults: string[] = [];

beforeAll(async () => {
  controller = await startController();
  if (typeof browser !== 'string') page = await openPage(browser);
});
afterAll(async () => {
  if (typeof browser !== 'string') await browser.close();
  await controller.stop();
});

async function openPage(running: Browser): Promise<Page> {
  const context = await running.newContext({ ignoreHTTPSErrors: true });
  const opened = await context.newPage();
  opened.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  opened.on('pageerror', (error) => faults.push(error.message));
  await opened.goto(`https://127.0.0.1:${String(controller.port)}/`);
  return opened;
}

const logIn = async (password: string): Promise<void> => {
  await page.getByLabel('Name').fill('admin');
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
};

const storedToken = () => page.evaluate("sessionStorage.getItem('overgraph.session')");

inBrowser('the console', () => {
  test('says why a login failed, with the id of the request', async () => {
    await logIn('not the password');
    await expect(page.getByRole('alert').innerText()).resolves.toMatch(/Request \S+/);
    await expect(storedToken()).resolves.toBeNull();
  });

  test('shows the counts of the graph after a login', async () => {
    await controller.create('services', { name: 'wiki', encryptionRequired: true });
    await logIn(ADMIN_PASSWORD);
    const row = page.getByRole('row', { name: /^Services/ });
    await row.waitFor();
    const { data } = await controller.graphql('{ services { totalCount } }');
    const { services } = data as { services: { totalCount: number } };
    expect(await row.innerText()).toMatch(new RegExp(`\\b${String(services.totalCount)}$`));
  });

  test('keeps its session over a reload, and out of the address', async () => {
    const token = String(await storedToken());
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).not.toContain(token);
    await expect(storedToken()).resolves.toBe(token);
  });

  test('shows its keys, and closes them', async () => {
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('asks again when the session has ended, over the page as it is', async () => {
    const token = String(await storedToken());
    const { data } = await controller.graphql(
      '{ currentApiSession { id } }',
      {},
      { 'zt-session': token },
    );
    const { currentApiSession } = data as { currentApiSession: { id: string } };
    await controller.rest('DELETE', `/api-sessions/${currentApiSession.id}`);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await expect(
      page.getByRole('heading', { name: 'Overview', includeHidden: true }).count(),
    ).resolves.toBe(1);
    await logIn(ADMIN_PASSWORD);
    await dialog.waitFor({ state: 'detached' });
  });

  test('ends the session at the controller on logout', async () => {
    const token = String(await storedToken());
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Name').waitFor();
    await expect(storedToken()).resolves.toBeNull();
    const answer = await controller.graphql(
      '{ currentApiSession { id } }',
      {},
      { 'zt-session': token },
    );
    expect(answer.errors?.[0]?.extensions.code).toBe('UNAUTHORIZED');
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(faults).toEqual([]);
  });
});
