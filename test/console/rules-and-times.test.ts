import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { identityPermissions } from '../../src/trust/auth/rules/identity-permissions.js';
import { grantableIn } from '../../src/kernel/declare/grantable.js';
import { catalog } from '../../src/resources/index.js';
import {
  bundleOf,
  newRoot,
  newServerCertificate,
  pemOf,
  serveBundle,
  type BundleServer,
} from '../support/bundle-server.js';
import { ADMIN_PASSWORD } from '../support/controller.js';
import { eventually } from '../support/eventually.js';
import { newAuthority } from '../trust/auth/certificates.js';
import { authPolicy } from '../trust/auth/client.js';
import { OutsideSigner } from '../trust/auth/signers.js';
import { inBrowser, useConsole } from './support/console-in-browser.js';

/** Forms of members that are lists of rules and of times, in a browser. */

const opened = useConsole({ env: { OVERGRAPH_JWKS_ALLOW_PRIVATE: 'true' } });

/** The label of a member that may not be missing has a star. */
const labelled = (name: string): RegExp => new RegExp(`^${name}( \\*)?$`);
const field = (name: string) => opened.page.getByLabel(labelled(name));
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const group = (name: string) => opened.page.getByRole('group', { name, exact: true });
const check = (name: string) => opened.page.getByRole('checkbox', { name, exact: true });
const title = (name: string) =>
  opened.page.getByRole('heading', { name, level: 1, exact: true }).waitFor();

/** Reads the only entity of a list. */
async function only(list: string, members: string): Promise<unknown> {
  const { data } = await opened.controller.graphql(`{ ${list} { nodes { ${members} } } }`);
  const { nodes } = (data as Record<string, { nodes: unknown[] }>)[list] ?? { nodes: [] };
  return nodes.length === 1 ? nodes[0] : nodes;
}

async function choose(name: string, option: string): Promise<void> {
  const select = opened.page.getByRole('combobox', { name, exact: true });
  await select.click();
  if (await select.isEditable()) await select.fill(option);
  await opened.page.getByRole('option', { name: option, exact: true }).click();
}

inBrowser('the times of a service policy', () => {
  const TIMES = 'weeklyWindows { days from to } timeZone validUntil';

  test('are rows with the zone of the browser, and a sentence', async () => {
    await opened.enter();
    await opened.open('/create/servicePolicies');
    await field('Name').fill('hours of work');
    await choose('Type', 'Dial');
    await choose('Semantic', 'Any of');
    const times = group('Times');
    await times.getByText('It is always in force.').waitFor();
    await button('Add: Weekly windows').click();
    for (const day of ['Friday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday']) {
      await check(day).check();
    }
    await field('From').fill('08:00');
    await button('Save').click();
    await opened.page.getByText('It is needed.').waitFor();
    await field('To').fill('18:00');
    const zone = await opened.page.evaluate<string>(
      'Intl.DateTimeFormat().resolvedOptions().timeZone',
    );
    const hours = 'It is in force Mon to Fri 08:00–18:00';
    await times.getByText(`${hours}, by the clocks of ${zone}.`).waitFor();
    await choose('Time zone', 'Europe/Zurich');
    await times.getByText(`${hours}, by the clocks of Europe/Zurich.`).waitFor();
    await button('Save').click();
    await title('hours of work');
    expect(await only('servicePolicies', TIMES)).toEqual({
      weeklyWindows: [
        {
          days: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'],
          from: '08:00',
          to: '18:00',
        },
      ],
      timeZone: 'Europe/Zurich',
      validUntil: null,
    });
  });

  test('stand on its page in words, with the next change', async () => {
    const windows = opened.page.getByRole('definition').filter({ hasText: 'Mon to Fri' });
    await windows.getByText('Mon to Fri 08:00–18:00, by the clocks of Europe/Zurich').waitFor();
    await windows.getByText(/^(It ends|It begins) /).waitFor();
  });

  test('show a refusal at the cell, and end with their last row', async () => {
    const { page } = opened;
    await page.getByRole('link', { name: 'Edit' }).click();
    await button('Add: Weekly windows').click();
    const second = group('Weekly windows 2');
    await second.getByLabel(labelled('From')).fill('22:00');
    await second.getByLabel(labelled('To')).fill('06:00');
    await button('Save').click();
    await second.getByText('must name a day').waitFor();
    await second.getByRole('checkbox', { name: 'Saturday' }).check();
    await page.getByText(/18:00 and Sat 22:00–06:00 of the next day, by the clocks/).waitFor();
    await button('Remove: Weekly windows 2').click();
    await button('Remove: Weekly windows 1').click();
    await field('Valid until').fill('2099-01-02T03:04:05');
    await field('Valid until').blur();
    await group('Times')
      .getByText(/^It is in force until .*2099/)
      .waitFor();
    await button('Save').click();
    await title('hours of work');
    expect(await only('servicePolicies', TIMES)).toEqual({
      weeklyWindows: [],
      timeZone: null,
      validUntil: expect.stringMatching(/^2099-01-0/),
    });
  });
});

inBrowser('the rules of an external JWT signer', () => {
  const PASSWORD = 'a password of somebody';
  const RULES = `conditions { claim values pattern } adminClaims { claim values isAdmin permissions }
    roleAttributeClaims roleAttributePrefix roleAttributeMinutes createsIdentities maxCreatedIdentities`;
  const NAME = 'company';
  let signer: OutsideSigner;
  let id: string;

  beforeAll(async () => {
    const { controller } = opened;
    signer = await OutsideSigner.create(NAME);
    id = await controller.create('external-jwt-signers', {
      ...signer.settings,
      useExternalId: true,
    });
    const identityId = await controller.create('identities', {
      ...{ name: 'lena', type: 'Default', isAdmin: false },
      permissions: ['external-jwt-signer', 'identity'],
    });
    const login = { method: 'updb', identityId, username: 'lena', password: PASSWORD };
    await controller.create('authenticators', login);
  });

  const goOnAs = async (name: string, password: string): Promise<void> => {
    const { page } = opened;
    await button('Log out').click();
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await field('Name').fill(name);
    await button('Log in').click();
    await page.getByRole('link', { name, exact: true }).waitFor();
  };

  const addRow = async (list: string, cells: Readonly<Record<string, string>>): Promise<void> => {
    const rows = group(list);
    await button(`Add: ${list}`).click();
    const count = await rows.getByRole('button', { name: /^Remove: / }).count();
    const row = group(`${list} ${String(count)}`);
    for (const [cell, text] of Object.entries(cells)) {
      await row.getByLabel(labelled(cell)).first().fill(text);
      if (cell === 'Values') await opened.page.keyboard.press('Enter');
    }
  };

  test('are rows of their form', async () => {
    const { page } = opened;
    await opened.open(`/edit/externalJwtSigners/${id}`);
    await addRow('Conditions', { Claim: 'repository', Values: 'acme/shop' });
    await addRow('Conditions', { Claim: 'ref', Pattern: 'refs/heads/(main|release-.*)' });
    await field('Role attribute claims').first().fill('groups');
    await page.keyboard.press('Enter');
    await field('Role attribute prefix').fill('company:');
    await field('Role attribute minutes').fill('60');
    await check('Creates identities').check();
    await field('Max created identities').fill('20');
    await addRow('Admin claims', { Claim: 'groups', Values: 'helpdesk' });
    const isIdle = page.getByText('These rules count only with “Trusted for management”.');
    await check('Trusted for management').uncheck();
    await isIdle.waitFor();
    await check('Trusted for management').check();
    await isIdle.waitFor({ state: 'detached' });
    const permissions = group('Admin claims 1').getByRole('combobox', { name: 'Permissions' });
    await permissions.click();
    const offered = await page.getByRole('option').allInnerTexts();
    expect(offered.sort()).toEqual(identityPermissions(grantableIn(catalog)).sort());
    await page.getByRole('option', { name: 'service.read', exact: true }).click();
    await button('Save').click();
    await title(NAME);
    expect(await only('externalJwtSigners', RULES)).toEqual({
      conditions: [
        { claim: 'repository', values: ['acme/shop'], pattern: null },
        { claim: 'ref', values: [], pattern: 'refs/heads/(main|release-.*)' },
      ],
      adminClaims: [
        { claim: 'groups', values: ['helpdesk'], isAdmin: false, permissions: ['service.read'] },
      ],
      roleAttributeClaims: ['groups'],
      ...{ roleAttributePrefix: 'company:', roleAttributeMinutes: 60 },
      ...{ createsIdentities: true, maxCreatedIdentities: 20 },
    });
    const rows = page.getByRole('table', { name: 'Conditions' }).getByRole('row');
    await expect(rows.nth(2).getByRole('cell').allInnerTexts()).resolves.toEqual([
      'ref',
      'refs/heads/(main|release-.*)',
      '–',
    ]);
  });

  test('judge a token that is pasted', async () => {
    const { page } = opened;
    await page.getByRole('tab', { name: 'Try a token' }).click();
    const result = page.getByRole('region', { name: 'What it would get' });
    const run = async (claims: Readonly<Record<string, unknown>>): Promise<void> => {
      await field('JWT').fill(await signer.jwt('a7c1', claims));
      await result.waitFor({ state: 'detached' });
      await button('Try it').click();
      await result.waitFor();
    };
    await run({ repository: 'acme/shop', ref: 'refs/pull/1', groups: ['staff'] });
    await page.getByText(/^A login with it would be refused\. .*condition/).waitFor();
    const conditions = page.getByRole('table', { name: 'Conditions' });
    await conditions.getByRole('row', { name: 'ref no' }).waitFor();
    const rule = page.getByRole('table', { name: 'Rights by claims' }).getByRole('row').nth(1);
    await expect(rule.innerText()).resolves.toMatch(/service\.read\s+\w+/);
    await run({ repository: 'acme/shop', ref: 'refs/heads/main', groups: ['helpdesk'] });
    await expect(rule.innerText()).resolves.toMatch(/service\.read\s+–/);
    await page.getByText('A login with it would succeed.').waitFor();
    await result.getByText('The login would create the identity.').waitFor();
    await result.getByText('company:helpdesk').waitFor();
    await result.getByText('service.read').waitFor();
    expect(page.url()).not.toContain('eyJ');
    const { data } = await opened.controller.graphql('{ identities { totalCount } }');
    expect(data).toEqual({ identities: { totalCount: 2 } });
  });

  test('that give rights are left out for others than administrators, and stay', async () => {
    await goOnAs('lena', PASSWORD);
    await opened.open(`/edit/externalJwtSigners/${id}`);
    await button('Remove: Conditions 2').click();
    await expect(button('Add: Admin claims').count()).resolves.toBe(0);
    await button('Save').click();
    await title(NAME);
    expect(await only('externalJwtSigners', RULES)).toMatchObject({
      conditions: [{ claim: 'repository' }],
      adminClaims: [{ claim: 'groups', permissions: ['service.read'] }],
    });
    await goOnAs('admin', ADMIN_PASSWORD);
  });
});

inBrowser('the bundle endpoint of an authority', () => {
  const ENDPOINT = 'bundleEndpoint { trustDomain url profile ca } isVerified';
  let server: BundleServer;
  let ca: string;

  beforeAll(async () => {
    const web = await newAuthority('authority of servers');
    const bundle = bundleOf([await newRoot('prod.example')]);
    server = await serveBundle(bundle, await newServerCertificate(web));
    ca = pemOf(web).trim();
  });
  afterAll(() => server.close());

  test('is a part of the form that is added', async () => {
    await opened.open('/create/certificateAuthorities');
    await field('Name').fill('prod');
    await check('Auth enabled').check();
    await button('Add: Bundle endpoint').click();
    const endpoint = group('Bundle endpoint');
    await button('Save').click();
    await endpoint.getByText('It is needed.').first().waitFor();
    await field('Trust domain').fill('prod.example');
    await field('URL').fill(server.url);
    await choose('Profile', 'Https web');
    await endpoint.getByLabel('CA', { exact: true }).fill(ca);
    await button('Save').click();
    await title('prod');
    expect(await only('certificateAuthorities', ENDPOINT)).toMatchObject({
      bundleEndpoint: { trustDomain: 'prod.example', url: server.url, profile: 'HTTPS_WEB' },
    });
  });

  test('has its state and its certificates on the page', async () => {
    const isVerified = async (): Promise<unknown> => {
      const authority = await only('certificateAuthorities', 'isVerified');
      return (authority as { isVerified: boolean }).isVerified;
    };
    await eventually(async () => {
      expect(await isVerified()).toBe(true);
    });
    const { page } = opened;
    await page.reload();
    const shown = page.getByRole('definition');
    await shown
      .filter({ hasText: /^Downloaded at/ })
      .first()
      .waitFor();
    await shown.filter({ hasText: 'It ends in less than a day.' }).first().waitFor();
  });

  test('changes without its trust domain, and what is emptied is gone', async () => {
    await opened.page.getByRole('link', { name: 'Edit' }).click();
    await expect(field('Trust domain').isDisabled()).resolves.toBe(true);
    await expect(button('Remove: Bundle endpoint').count()).resolves.toBe(0);
    await group('Bundle endpoint').getByLabel('CA', { exact: true }).fill('');
    await button('Save').click();
    await title('prod');
    expect(await only('certificateAuthorities', ENDPOINT)).toMatchObject({
      bundleEndpoint: { trustDomain: 'prod.example', url: server.url, ca: null },
    });
  });
});

inBrowser('the form of an authority with a certificate', () => {
  test('is saved without a bundle endpoint', async () => {
    await opened.open('/create/certificateAuthorities');
    await field('Name').fill('own');
    await field('Certificate PEM').fill(pemOf(await newAuthority('own')));
    await button('Save').click();
    await title('own');
    await opened.page.getByRole('link', { name: 'Edit' }).click();
    await expect(button('Add: Bundle endpoint').count()).resolves.toBe(0);
  });
});

inBrowser('a group of members', () => {
  test('loses a member that is emptied', async () => {
    const { controller, page } = opened;
    const signer = await OutsideSigner.create('second-factor');
    const requireExtJwtSigner = await controller.create('external-jwt-signers', signer.settings);
    const policy = authPolicy({ secondary: { requireTotp: true, requireExtJwtSigner } });
    const id = await controller.create('auth-policies', policy);
    await opened.open(`/edit/authPolicies/${id}`);
    await page.getByLabel('Clear: Require ext JWT signer').click();
    await button('Save').click();
    await title(String(policy.name));
    await page.getByRole('tab', { name: 'Attributes' }).waitFor();
    const { body } = await controller.rest('GET', `/auth-policies/${id}`);
    expect(body.data).toHaveProperty('secondary', { requireTotp: true });
  });

  test('is left out where it does not belong to the type', async () => {
    await opened.open('/create/postureChecks');
    await field('Name').fill('second factor');
    await choose('Type', 'MFA');
    await button('Save').click();
    await title('second factor');
    expect(await only('postureChecks', 'typeId process { path }')).toEqual({
      typeId: 'MFA',
      process: null,
    });
  });
});

inBrowser('the rules together', () => {
  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
