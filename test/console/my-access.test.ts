import { beforeAll, expect, test } from '@jest/globals';
import { inBrowser, useConsole } from './support/console-in-browser.js';

/** The own access of somebody without permissions, and the decisions of an approver, in a browser. */

const opened = useConsole();
const PASSWORD = 'a password of somebody';

beforeAll(async () => {
  const { controller } = opened;
  for (const [name, ...roles] of [['adam'], ['lena', 'lead']]) {
    const identity = { name, type: 'Default', isAdmin: false, roleAttributes: ['staff', ...roles] };
    const identityId = await controller.create('identities', identity);
    const login = { method: 'updb', identityId, username: name, password: PASSWORD };
    await controller.create('authenticators', login);
  }
  for (const [name, role, type] of [
    ['wiki', 'staff', 'Dial'],
    ['pager', 'on-call', 'Dial'],
    ['vault', 'vault', 'Bind'],
  ]) {
    const serviceId = await controller.create('services', { name, encryptionRequired: true });
    const ends = { identityRoles: [`#${role ?? ''}`], serviceRoles: [`@${serviceId}`] };
    await controller.create('service-policies', { name, type, semantic: 'AnyOf', ...ends });
  }
  const offer = { requesterRoles: ['#staff'], approverRoles: ['#lead'], maxMinutes: 120 };
  await controller.create('access-offers', { name: 'on call', roleAttribute: 'on-call', ...offer });
  await controller.create('access-offers', { name: 'keys', roleAttribute: 'vault', ...offer });
  await controller.create('access-rules', {
    ...{ name: 'nobody hosts the vault', kind: 'MUST_NEVER_REACH', type: 'Bind' },
    ...{ semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] },
  });
});

const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const row = (name: RegExp) => opened.page.getByRole('row', { name });
const dialog = () => opened.page.getByRole('dialog');

async function logInAs(name: string): Promise<void> {
  const { page } = opened;
  await page.getByLabel('Name').fill(name);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('link', { name, exact: true }).waitFor();
}

/** Goes on as somebody else, at a view of the page. */
async function goOnAs(name: string, view: string): Promise<void> {
  await button('Log out').click();
  await logInAs(name);
  await open(view);
}

async function open(view: string): Promise<void> {
  await opened.page
    .getByRole('navigation')
    .getByRole('link', { name: /^My access/ })
    .click();
  await opened.page.getByRole('tab', { name: view }).click();
}

async function askFor(offer: string): Promise<void> {
  await open('Ask for access');
  await button(`Ask for ${offer}`).click();
  await dialog().getByLabel('Reason').fill('the board is red');
  await dialog().getByLabel('Minutes').fill('30');
  await dialog().getByRole('button', { name: 'Send the request' }).click();
  await dialog().waitFor({ state: 'detached' });
}

inBrowser('somebody without permissions', () => {
  test('finds the own access from the first page on', async () => {
    await logInAs('adam');
    await opened.page
      .getByRole('link', { name: 'What you reach, and what you may ask for' })
      .click();
    await row(/^wiki\s+no end\s+–$/).waitFor();
    await expect(row(/pager|vault/).count()).resolves.toBe(0);
    // No links to pages that it may not see.
    await expect(opened.page.getByRole('table').getByRole('link').count()).resolves.toBe(0);
  });

  test('asks for what is offered, and takes a request back', async () => {
    await askFor('on call');
    await open('My requests');
    await row(/^on call .*the board is red\s+30\s+Open/).waitFor();
    await button('Take back: on call').click();
    await row(/^on call .*Cancelled/).waitFor();
    await askFor('on call');
  });

  test('has no decisions to make', async () => {
    await open('Waiting for my decision');
    await opened.page.getByText('Nothing here.').waitFor();
  });
});

inBrowser('a request', () => {
  test('is approved for less time by somebody who has seen the effect', async () => {
    await goOnAs('lena', 'Waiting for my decision');
    await opened.page.getByText('1 request waits for you').waitFor({ state: 'attached' });
    await button('Decide on adam and on call').click();
    await dialog()
      .getByRole('row', { name: /^pager\s+Dial$/ })
      .waitFor();
    await dialog().getByLabel('Minutes').fill('10');
    await dialog().getByLabel('Comment').fill('be quick');
    await dialog().getByRole('button', { name: 'Approve' }).click();
    await dialog().waitFor({ state: 'detached' });
    await opened.page.getByText('Nothing here.').waitFor();
    const { data } = await opened.controller.graphql(
      '{ accessRequests(where: { state: { eq: GRANTED } }) { nodes { grantedMinutes comment } } }',
    );
    expect(data).toEqual({
      accessRequests: { nodes: [{ grantedMinutes: 10, comment: 'be quick' }] },
    });
  });

  test('gives access with an end, which the requester ends', async () => {
    await goOnAs('adam', 'Services');
    const pager = row(/^pager\s/);
    await pager.waitFor();
    const until = await pager.locator('time').getAttribute('datetime');
    const { data } = await opened.controller.graphql(
      '{ accessRequests(where: { state: { eq: GRANTED } }) { nodes { grantedUntil } } }',
    );
    expect(data).toEqual({ accessRequests: { nodes: [{ grantedUntil: until }] } });
    await open('My requests');
    await button('End now: on call').click();
    await row(/^on call .*Revoked/).waitFor();
    await open('Services');
    await pager.waitFor({ state: 'detached' });
    await askFor('keys');
  });

  test('is denied where an access rule refuses the grant', async () => {
    await goOnAs('lena', 'Waiting for my decision');
    await button('Decide on adam and keys').click();
    await dialog()
      .getByText('The access rule “nobody hosts the vault” refuses the grant: vault (Bind).')
      .waitFor();
    await dialog().getByLabel('Comment').fill('ask the owners');
    await dialog().getByRole('button', { name: 'Approve' }).click();
    await dialog().getByRole('alert').waitFor();
    await expect(dialog().getByLabel('Comment').inputValue()).resolves.toBe('ask the owners');
    await dialog().getByRole('button', { name: 'Deny' }).click();
    await dialog().waitFor({ state: 'detached' });
    await goOnAs('adam', 'My requests');
    await row(/^keys .*Denied\s+–\s+ask the owners/).waitFor();
  });
});

inBrowser('an administrator', () => {
  test('sees offers and requests as entities', async () => {
    await button('Log out').click();
    await opened.open('/');
    await opened.enter();
    await opened.open('/entities/accessRequests');
    await row(/adam\s+keys\s+Denied\s+the board is red\s+30/)
      .getByRole('link')
      .first()
      .click();
    await opened.page.getByText('ask the owners').waitFor();
    await opened.open('/entities/accessOffers');
    await opened.page.getByRole('link', { name: 'keys' }).click();
    await opened.page.getByRole('heading', { name: 'keys', level: 1 }).waitFor();
    await opened.page.getByRole('link', { name: 'Edit' }).click();
    await opened.page.getByRole('textbox', { name: 'Description' }).fill('the keys of the vault');
    await button('Save').click();
    await opened.page.getByText('the keys of the vault').waitFor();
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
