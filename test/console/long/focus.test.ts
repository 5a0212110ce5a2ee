import { beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { settledChangeOf } from '../../support/settled-change.js';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/** The focus of the keyboard: it is never lost, and each page has a name. */

const opened = useConsole();

beforeAll(async () => {
  const { controller } = opened;
  const ada = { name: 'ada', type: 'Default', isAdmin: false, roleAttributes: ['crew'] };
  await controller.create('identities', ada);
  await controller.create('services', { name: 'wiki', encryptionRequired: true });
  await controller.create('service-policies', {
    name: 'crew reads',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#crew'],
    serviceRoles: ['#all'],
  });
  await settledChangeOf(controller);
});

const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const link = (name: string) => opened.page.getByRole('link', { name, exact: true });
const isFocused = (control: Locator) => control.and(opened.page.locator(':focus')).waitFor();
const hasFocus = (selector: string) => opened.page.locator(`${selector}:focus`).waitFor();

inBrowser('the focus', () => {
  test('goes to the content after the login, and to that of the next page', async () => {
    const { page } = opened;
    await opened.enter();
    await hasFocus('main');
    await expect(page.title()).resolves.toBe('Overview – Overgraph');
    await opened.open('/entities/services');
    await link('wiki').press('Enter');
    await page.getByRole('tab', { name: 'Attributes' }).waitFor();
    await hasFocus('main');
    await page.waitForFunction("document.title === 'wiki – Overgraph'");
  });

  test('stays in the field of a filter, and in the search without one', async () => {
    const { page } = opened;
    await opened.open('/entities/services');
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('wi');
    await filter.press('Enter');
    await button('Show all').waitFor();
    await hasFocus('input[aria-label=Filter]');
    await button('Show all').press('Enter');
    await button('Show all').waitFor({ state: 'detached' });
    await hasFocus('form[aria-label=Filter]');
    await expect(filter.inputValue()).resolves.toBe('');
  });

  test('goes back to what has opened a dialog', async () => {
    const { page } = opened;
    await link('wiki').press('Enter');
    await button('Delete').press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await isFocused(button('Delete'));
  });

  test('comes back to the button of a form that was refused', async () => {
    const { controller, page } = opened;
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await link('Edit').press('Enter');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('pages');
    await controller.rest('PATCH', `/services/${id}`, { tags: { by: 'another' } });
    await button('Save').press('Enter');
    await page.getByRole('alert').waitFor();
    await isFocused(button('Save'));
    await button('Cancel').press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).press('Enter');
    await link('Edit').waitFor();
    await hasFocus('main');
  });

  test('stays near a selection that ends', async () => {
    await opened.open('/entities/services');
    await opened.page.getByRole('checkbox', { name: 'Select wiki' }).press('Space');
    await button('Select none').press('Enter');
    await button('Select none').waitFor({ state: 'detached' });
    await hasFocus('main');
  });

  test('stays on the buttons of the time of a map at its ends', async () => {
    const { page } = opened;
    await opened.open('/map?time=true&view=nodes');
    const forward = button('A step forward');
    await expect(forward.getAttribute('aria-disabled')).resolves.toBe('true');
    await button('A step back').press('Enter');
    await page.waitForURL(/at=/);
    await forward.press('Enter');
    await page.waitForURL((url) => !url.search.includes('at='));
    await expect(forward.getAttribute('aria-disabled')).resolves.toBe('true');
    await isFocused(forward);
  });

  test('stays in the field of a time, and near a panel that closes', async () => {
    const { page } = opened;
    await opened.open('/map?view=nodes');
    const time = page.getByLabel('Time in the past');
    await time.fill('2024-01-01T10:00:00');
    await time.press('Enter');
    await page.waitForURL(/at=/);
    await hasFocus('input[type=datetime-local]');
    await opened.open('/map?view=nodes');
    await page
      .getByRole('button', { name: /crew reads/ })
      .first()
      .press('Enter');
    await button('Close').press('Enter');
    await page
      .getByText('Choose a node in the picture or in the tables to see its members.')
      .waitFor();
    await hasFocus('section');
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
