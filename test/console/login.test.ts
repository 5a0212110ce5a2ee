import { expect, test } from '@jest/globals';
import { ADMIN_PASSWORD } from '../support/controller.js';
import { inBrowser, useConsole } from './support/console-in-browser.js';

/** Login, session and frame of the console in a browser. */

const opened = useConsole();

const storedToken = () => opened.page.evaluate("sessionStorage.getItem('overgraph.session')");

inBrowser('the console', () => {
  test('says why a login failed, with the id of the request', async () => {
    await opened.logIn('not the password');
    await expect(opened.page.getByRole('alert').innerText()).resolves.toMatch(/Request \S+/);
    await expect(storedToken()).resolves.toBeNull();
  });

  test('shows the counts of the graph after a login', async () => {
    await opened.controller.create('services', { name: 'wiki', encryptionRequired: true });
    await opened.logIn(ADMIN_PASSWORD);
    const row = opened.page.getByRole('row', { name: /^Services/ });
    await row.waitFor();
    const { data } = await opened.controller.graphql('{ services { totalCount } }');
    const { services } = data as { services: { totalCount: number } };
    expect(await row.innerText()).toMatch(new RegExp(`\\b${String(services.totalCount)}$`));
  });

  test('keeps its session over a reload, and out of the address', async () => {
    const token = String(await storedToken());
    await opened.page.reload();
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(opened.page.url()).not.toContain(token);
    await expect(storedToken()).resolves.toBe(token);
  });

  test('shows its keys, and closes them', async () => {
    await opened.page.keyboard.press('?');
    await opened.page.getByRole('dialog').waitFor();
    await opened.page.keyboard.press('Escape');
    await opened.page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('asks again when the session has ended, over the page as it is', async () => {
    const token = String(await storedToken());
    const { data } = await opened.controller.graphql(
      '{ currentApiSession { id } }',
      {},
      { 'zt-session': token },
    );
    const { currentApiSession } = data as { currentApiSession: { id: string } };
    await opened.controller.rest('DELETE', `/api-sessions/${currentApiSession.id}`);
    const dialog = opened.page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await expect(
      opened.page.getByRole('heading', { name: 'Overview', includeHidden: true }).count(),
    ).resolves.toBe(1);
    await opened.logIn(ADMIN_PASSWORD);
    await dialog.waitFor({ state: 'detached' });
  });

  test('ends the session at the controller on logout', async () => {
    const token = String(await storedToken());
    await opened.page.getByRole('button', { name: 'Log out' }).click();
    await opened.page.getByLabel('Name').waitFor();
    await expect(storedToken()).resolves.toBeNull();
    const answer = await opened.controller.graphql(
      '{ currentApiSession { id } }',
      {},
      { 'zt-session': token },
    );
    expect(answer.errors?.[0]?.extensions.code).toBe('UNAUTHORIZED');
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
