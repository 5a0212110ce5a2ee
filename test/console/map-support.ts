import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { ADMIN_PASSWORD, type TestController } from '../support/controller.js';

/** A page of the console whose admin is logged in. */
export interface OpenConsole {
  readonly page: Page;
  /** What the browser refused or reported as an error. */
  readonly faults: readonly string[];
  /** The addresses of the files that the browser asked for. */
  readonly files: readonly string[];
  /** Opens a page of the console by its path. */
  readonly goTo: (path: string) => Promise<void>;
}

export async function openConsole(
  browser: Browser,
  controller: TestController,
): Promise<OpenConsole> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, acceptDownloads: true });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  const files: string[] = [];
  page.on('request', (request) => files.push(request.url()));
  const base = `https://127.0.0.1:${String(controller.port)}/console`;
  await page.goto(`${base}/`);
  await page.getByLabel('Name').fill('admin');
  await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const goTo = async (path: string): Promise<void> => {
    await page.goto(`${base}${path}`);
  };
  return { page, faults, files, goTo };
}

/** Does what makes the page save a file, and gives the content of the file. */
export async function savedFile(page: Page, save: () => Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), save()]);
  return readFile(await download.path());
}
