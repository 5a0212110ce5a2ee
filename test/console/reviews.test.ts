import { beforeAll, expect, test } from '@jest/globals';
import { generateSync } from 'otplib';
import { ADMIN_PASSWORD } from '../support/controller.js';
import { inBrowser, useConsole } from './support/console-in-browser.js';

/** Reviews of access, and the own account, in a browser. */

const opened = useConsole();

beforeAll(async () => {
  const { controller } = opened;
  for (const name of ['ada', 'bob']) {
    const identity = { name, type: 'Default', isAdmin: false, roleAttributes: ['staff', name] };
    await controller.create('identities', identity);
  }
  await controller.create('services', { name: 'wiki', encryptionRequired: true });
  await controller.create('service-policies', {
    name: 'readers',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: ['#all'],
  });
});

const button = (name: string | RegExp) => opened.page.getByRole('button', { name });
const field = (name: string) => opened.page.getByRole('textbox', { name, exact: true });

inBrowser('a review', () => {
  test('begins with the access of now', async () => {
    await opened.enter();
    await opened.open('/entities/accessReviews');
    await opened.page.getByRole('link', { name: 'New' }).click();
    await field('Name').fill('autumn');
    await button('Begin the review').click();
    await opened.page.getByText('0 of 2 lines are decided.').waitFor();
    await opened.page.getByRole('row', { name: /ada\s+wiki\s+Dial\s+readers/ }).waitFor();
  });

  test('takes decisions that come faster than they are stored', async () => {
    const { page } = opened;
    const decision = page.getByLabel('Decision on ada and wiki');
    await opened.whileHeld(
      'decideAccessReview',
      async () => {
        await decision.selectOption('Keep');
      },
      async () => {
        await expect(decision.inputValue()).resolves.toBe('KEEP');
        await decision.selectOption('Revoke');
        await page.getByLabel('Decision on bob and wiki').selectOption('Keep');
      },
    );
    await page.getByText('2 of 2 lines are decided.').waitFor();
    const { data } = await opened.controller.graphql(
      '{ accessReviews { nodes { keepCount revokeCount } } }',
    );
    expect(data).toEqual({ accessReviews: { nodes: [{ keepCount: 1, revokeCount: 1 }] } });
    await decision.selectOption('Undecided');
    await page.getByLabel('Decision on bob and wiki').selectOption('Undecided');
    await page.getByText('0 of 2 lines are decided.').waitFor();
  });

  test('keeps a comment that could not be stored', async () => {
    const { page } = opened;
    const dialog = page.getByRole('dialog');
    await button('add one: comment on ada and wiki').press('Enter');
    await dialog.getByRole('textbox').fill('half typed');
    await page.route(/\/graphql$/, (route) => route.abort());
    await dialog.getByRole('textbox').press('Enter');
    await dialog.getByRole('alert').waitFor();
    await expect(dialog.getByRole('textbox').inputValue()).resolves.toBe('half typed');
    await page.unroute(/\/graphql$/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const others = opened.faults.filter((text) => !text.includes('net::ERR_FAILED'));
    opened.faults.splice(0, Infinity, ...others);
  });

  test('takes decisions and comments', async () => {
    await opened.page.getByLabel('Decision on bob and wiki').selectOption('Revoke');
    await opened.page.getByText('1 of 2 lines are decided.').waitFor();
    await button('add one: comment on bob and wiki').click();
    await opened.page.getByRole('dialog').getByRole('textbox').fill('left the team');
    await opened.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await button('left the team: comment on bob and wiki').waitFor();
    await button('All others: keep').click();
    await opened.page.getByText('2 of 2 lines are decided.').waitFor();
  });

  test('is saved as a file', async () => {
    const csv = await opened.saved(() => button('Save as CSV').click());
    const text = csv.toString();
    // Without it, programs for sheets show letters outside of ASCII wrong.
    expect(text.startsWith('\uFEFFidentityId,')).toBe(true);
    const lines = text.trim().split('\r\n').slice(1);
    const cells = lines.map((line) => line.split(','));
    expect(
      cells
        .map(([, identity, , service, , , , decision, comment]) => [
          identity,
          service,
          decision,
          comment,
        ])
        .sort(),
    ).toEqual([
      ['ada', 'wiki', 'KEEP', ''],
      ['bob', 'wiki', 'REVOKE', 'left the team'],
    ]);
  });

  test('keeps what was found while it was being finished', async () => {
    await opened.whileHeld(
      'finishAccessReview',
      () => button('Finish the review').click(),
      async () => {
        await button('Find the changes').click();
        await button('Add to the draft').waitFor();
      },
    );
    await button('Finish the review').waitFor({ state: 'detached' });
  });

  test('becomes a draft that takes the revoked access away', async () => {
    await button('Add to the draft').click();
    const lost = opened.page.getByRole('region', { name: 'Access that ends' });
    await lost.getByRole('row', { name: /bob\s+wiki\s+Dial/ }).waitFor();
    await expect(lost.getByRole('row').count()).resolves.toBe(2);
  });
});

inBrowser('the own account', () => {
  test('has another password after the present one was given', async () => {
    await opened.open('/account');
    await field('Present password').fill('not this one');
    await field('New password').fill('another password');
    await field('New password again').fill('another password');
    await button('Change the password').click();
    await opened.page.getByRole('alert').waitFor();
    await field('Present password').fill(ADMIN_PASSWORD);
    await button('Change the password').click();
    await opened.page.getByText('The password is changed.').waitFor();
  });

  test('has a second factor from its first code on', async () => {
    await button('Set up a second factor').click();
    await opened.page.getByRole('img', { name: /second factor/ }).waitFor();
    const address = await opened.page.getByText(/^otpauth:/).innerText();
    const secret = new URL(address).searchParams.get('secret') ?? '';
    await field('Code').fill(generateSync({ secret }));
    await button('Confirm').click();
    await button('Remove the second factor').waitFor();
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
