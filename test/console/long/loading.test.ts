import { beforeAll, expect, test } from '@jest/globals';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/** How long the console takes to load, without anything in the cache of the browser. */

const opened = useConsole();
const MAX_MS = 1_500;
/** The best of them says least about the other work of the machine. */
const ATTEMPTS = 3;

/** Loads the page some times, and prints how long it takes until something is shown on it. */
async function expectQuick(name: string, shown: string): Promise<void> {
  const times: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await opened.open('/');
    await opened.page.locator(shown).first().waitFor();
    times.push(await opened.page.evaluate<number>('shownAt_'));
  }
  const best = Math.min(...times);
  const all = times.map((time) => time.toFixed(0)).join(', ');
  process.stderr.write(`${name} after ${best.toFixed(0)} ms (${all})\n`);
  expect(best).toBeLessThan(MAX_MS);
}

/** Notes in each page when an element is there, counted from the begin of the navigation. */
const noteTime = (selector: string): string => `window.shownAt_ = new Promise((resolve) => {
  (function look() {
    if (document.querySelector(${JSON.stringify(selector)})) resolve(performance.now());
    else requestAnimationFrame(look);
  })();
});`;

const PASSWORD = 'input[type=password]';
/** In the table with the numbers of entities. */
const COUNTED = 'main td a[href$="/entities/identities"]';

inBrowser('the console is there within 1.5 seconds', () => {
  beforeAll(async () => {
    const context = opened.page.context();
    await context.addInitScript(noteTime(`${PASSWORD}, ${COUNTED}`));
    const client = await context.newCDPSession(opened.page);
    await client.send('Network.enable');
    await client.send('Network.setCacheDisabled', { cacheDisabled: true });
  });

  test('for a stranger: the login', async () => {
    await expectQuick('the login is shown', PASSWORD);
  });

  test('with a session: the overview with its numbers', async () => {
    await opened.enter();
    await expectQuick('the overview is shown', COUNTED);
    expect(opened.faults).toEqual([]);
  });
});
