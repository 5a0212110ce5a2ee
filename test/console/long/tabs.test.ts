import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/** The console in more tabs than a browser has connections to a host: six, with HTTP/1.1. */

const opened = useConsole();
const TABS = 7;
const tabs: Page[] = [];

const create = (name: string): Promise<string> =>
  opened.controller.create('services', { name, encryptionRequired: true });
const services = (tab: Page, count: number) =>
  tab
    .getByRole('region', { name: 'Entities' })
    .getByRole('row', { name: new RegExp(`^Services\\s+${String(count)}$`) });

/** A browser without a screen takes all tabs for visible. */
async function turn(tab: Page | undefined, visibility: 'visible' | 'hidden'): Promise<void> {
  await tab?.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${visibility}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

/** Opens a page in another tab, which is then in front. */
async function openTab(from: Page, path: string): Promise<Page> {
  await turn(from, 'hidden');
  const [tab] = await Promise.all([
    opened.page.context().waitForEvent('page'),
    from.evaluate(`void window.open('/console${path}')`),
  ]);
  tabs.push(tab);
  return tab;
}

inBrowser('the console in seven tabs', () => {
  beforeAll(async () => {
    await opened.enter();
    tabs.push(opened.page);
  });

  test('follows the network in the one in front', async () => {
    let tab = opened.page;
    await services(tab, 0).waitFor();
    while (tabs.length < TABS) {
      tab = await openTab(tab, '/');
      await services(tab, 0).waitFor();
    }
    await create('wiki');
    await services(tab, 1).waitFor();
  });

  test('reads anew what changed while a tab was behind others', async () => {
    const [first] = tabs;
    if (!first) throw new Error('there is no tab');
    await expect(services(first, 0).count()).resolves.toBe(1);
    await turn(tabs.at(-1), 'hidden');
    await turn(first, 'visible');
    await services(first, 1).waitFor();
    await create('vault');
    await services(first, 2).waitFor();
  });

  test('tells on the map what changed while its tab was behind others', async () => {
    const [first] = tabs;
    if (!first) throw new Error('there is no tab');
    const map = await openTab(first, '/map');
    const comparison = () =>
      map.waitForResponse((answer) =>
        Boolean(answer.request().postData()?.includes('NewestChange')),
      );
    const notice = map.getByText('The network has changed');
    await comparison();
    await turn(map, 'hidden');
    await Promise.all([comparison(), turn(map, 'visible')]);
    await expect(notice.count()).resolves.toBe(0);
    await turn(map, 'hidden');
    await create('mail');
    await turn(map, 'visible');
    await notice.waitFor();
  });
});
