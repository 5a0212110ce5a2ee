import { beforeAll, expect, test } from '@jest/globals';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/** A controller that restarts while a page is open. */

const opened = useConsole();

const create = (name: string): Promise<string> =>
  opened.controller.create('services', { name, encryptionRequired: true });
const row = (name: string) => opened.page.getByRole('row', { name });
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const services = (count: number) =>
  opened.page
    .getByRole('region', { name: 'Entities' })
    .getByRole('row', { name: new RegExp(`^Services\\s+${String(count)}$`) });

async function goTo(name: string): Promise<void> {
  await opened.page.getByRole('link', { name, exact: true }).first().click();
  await opened.page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
}

/** The files of an earlier release have other names, and the controller no longer has them. */
async function upgrade(page: string): Promise<void> {
  await opened.page.route(new RegExp(`/assets/${page}-`), (route) =>
    route.fulfill({ status: 404, contentType: 'text/plain', body: 'not found' }),
  );
}

const silence = () => opened.page.getByRole('alert').getByText(/can not be reached/);

/** A mark that a page loses when it is loaded again. */
const mark = (): Promise<unknown> => opened.page.evaluate('window.isMarked = true');
const isMarked = (): Promise<unknown> => opened.page.evaluate('window.isMarked');

inBrowser('a page', () => {
  beforeAll(async () => {
    await create('wiki');
    await opened.enter();
  });

  test('says that the controller is away, and keeps what it shows', async () => {
    await services(1).waitFor();
    await mark();
    await opened.endController();
    await silence().first().waitFor();
    await services(1).waitFor();
  });

  test('goes on by itself when the controller is back, and follows it again', async () => {
    await opened.startAgain();
    await silence().first().waitFor({ state: 'detached' });
    await create('vault');
    await services(2).waitFor();
    expect(await isMarked()).toBe(true);
  });

  test('asks again what had no answer', async () => {
    // The code of the page is there.
    await goTo('Services');
    await goTo('Overview');
    await opened.endController();
    await silence().first().waitFor();
    await goTo('Services');
    await opened.startAgain();
    await row('vault').waitFor();
    await expect(silence().count()).resolves.toBe(0);
    expect(await isMarked()).toBe(true);
  });

  test('shows a page whose code it could not load, when the controller is back', async () => {
    await opened.endController();
    await silence().first().waitFor();
    await opened.page.getByRole('link', { name: 'Findings', exact: true }).click();
    await opened.page.getByText('This part of the page could not be loaded.').waitFor();
    await button('Try again').click();
    await opened.page.getByText('This part of the page could not be loaded.').waitFor();
    await expect(button('Load the page again').count()).resolves.toBe(0);
    await opened.startAgain();
    await opened.page.getByRole('heading', { name: 'Findings', level: 1, exact: true }).waitFor();
    expect(await isMarked()).toBe(true);
    await goTo('Services');
  });

  test('says it also where nothing is asked', async () => {
    await opened.endController();
    await silence().first().waitFor();
    await row('vault').waitFor();
    await opened.startAgain();
    await silence().first().waitFor({ state: 'detached' });
  });

  test('keeps a form over it, and saves it afterwards', async () => {
    await opened.page.getByRole('link', { name: 'New' }).click();
    await opened.page.getByRole('textbox', { name: 'Name', exact: true }).fill('mail');
    await opened.endController();
    await button('Save').click();
    await silence().first().waitFor();
    await opened.startAgain();
    await button('Save').click();
    await opened.page.getByRole('heading', { name: 'mail', level: 1, exact: true }).waitFor();
    expect(await isMarked()).toBe(true);
  });

  test('offers to be loaded again where the controller has another release', async () => {
    await opened.page.getByRole('link', { name: 'Edit', exact: true }).click();
    await opened.page.getByRole('textbox', { name: 'Name', exact: true }).fill('post');
    await button('Add to the draft').click();
    await opened.page.getByRole('region', { name: /^Update / }).waitFor();
    await upgrade('changes-page');
    await opened.page.getByRole('link', { name: 'Changes', exact: true }).click();
    await opened.page.getByText('It may have been upgraded').waitFor();
    await button('Try again').click();
    await opened.page.getByText('It may have been upgraded').waitFor();
    await opened.page.unrouteAll();
    await button('Load the page again').click();
    await opened.page.getByRole('heading', { name: 'Changes', level: 1, exact: true }).waitFor();
    expect(await isMarked()).toBeUndefined();
    await opened.page.getByRole('link', { name: /^Draft/ }).click();
    await opened.page.getByRole('region', { name: /^Update / }).waitFor();
  });
});
