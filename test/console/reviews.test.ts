import { beforeAll, expect, test } from '@jest/globals';
import { generateSync } from 'otplib';
import type { Row } from '../../src/base/row.js';
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

inBrowser('the role assignments on which reviewed access rests', () => {
  const details = (name: string) => opened.page.getByRole('dialog', { name, exact: true });
  const save = (dialog: ReturnType<typeof details>) =>
    dialog.getByRole('button', { name: 'Save' }).click();
  let reviewId: string;

  async function assignments(name: string): Promise<Row[]> {
    const { data } = await opened.controller.graphql(
      '{ roleAssignments(filter: "roleAttribute = \\"on-call\\"") { nodes { state activeUntil identity { name } } } }',
    );
    const { nodes } = (data as { roleAssignments: { nodes: (Row & { identity: Row })[] } })
      .roleAssignments;
    return nodes.filter(({ identity }) => identity.name === name);
  }

  beforeAll(async () => {
    const { controller } = opened;
    const activeUntil = new Date(Date.now() + 86_400_000).toISOString();
    for (const name of ['cem', 'dora']) {
      const identity = { name, type: 'Default', isAdmin: false };
      const identityId = await controller.create('identities', identity);
      const assignment = { identityId, roleAttribute: 'on-call', activeUntil, reason: 'duty' };
      await controller.create('role-assignments', assignment);
    }
    const board = await controller.create('services', { name: 'board', encryptionRequired: true });
    await controller.create('service-policies', {
      ...{ name: 'those on call', type: 'Dial', semantic: 'AnyOf' },
      ...{ identityRoles: ['#on-call'], serviceRoles: [`@${board}`] },
    });
    const { data } = await controller.graphql(
      `mutation ($identityFilter: String) {
        startAccessReview(name: "duty", identityFilter: $identityFilter) { id } }`,
      { identityFilter: 'name in ["cem", "dora"]' },
    );
    reviewId = (data as { startAccessReview: { id: string } }).startAccessReview.id;
  });

  test('have no end in a review before there is a decision', async () => {
    await opened.open(`/entities/accessReviews/${reviewId}?tab=lines`);
    await opened.page.getByText('0 of 2 lines are decided.').waitFor();
    await expect(button(/role assignments of/).count()).resolves.toBe(0);
  });

  test('are renewed with a decision to keep', async () => {
    const { page } = opened;
    await page.getByLabel('Decision on cem and board').selectOption('Keep');
    await button('renew: role assignments of cem for board').click();
    const dialog = details('Details of cem and board');
    await dialog.getByText(/^Decided by admin, /).waitFor();
    const until = dialog.getByLabel('Renew the role assignments until');
    await until.fill('2020-01-02T03:04:05');
    await save(dialog);
    await dialog.getByRole('alert').waitFor();
    await until.fill('2099-01-02T03:04:05');
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('still on duty');
    await save(dialog);
    await dialog.waitFor({ state: 'detached' });
    await button(/2099.*: role assignments of cem for board/).waitFor();
    await button('still on duty: comment on cem and board').waitFor();
    expect(await assignments('cem')).toMatchObject([
      { state: 'ACTIVE', activeUntil: expect.stringMatching(/^2099-01-0/) },
    ]);
  });

  test('end with a decision to revoke', async () => {
    const { page } = opened;
    await page.getByLabel('Decision on dora and board').selectOption('Revoke');
    await button('end: role assignments of dora for board').click();
    const dialog = details('Details of dora and board');
    await dialog.getByRole('checkbox', { name: 'End the role assignments now' }).check();
    await save(dialog);
    await dialog.waitFor({ state: 'detached' });
    await button('end: role assignments of dora for board').waitFor({ state: 'detached' });
    expect(await assignments('dora')).toEqual([]);
  });

  test('have their ends in the file, and as texts in a finished review', async () => {
    const { page } = opened;
    const csv = (await opened.saved(() => button('Save as CSV').click())).toString();
    const [heads = '', ...lines] = csv.trim().split('\r\n');
    expect(heads.split(',').at(-1)).toBe('assignmentsUntil');
    expect(lines.map((line) => line.split(',').at(-1)?.slice(0, 4)).sort()).toEqual([
      String(new Date().getFullYear()),
      '2099',
    ]);
    await button('Finish the review').click();
    await button('Finish the review').waitFor({ state: 'detached' });
    const row = page.getByRole('row', { name: /cem\s+board/ });
    await row.getByText(/2099/).waitFor();
    await row.getByText(/^admin, /).waitFor();
    await expect(button(/role assignments of/).count()).resolves.toBe(0);
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
