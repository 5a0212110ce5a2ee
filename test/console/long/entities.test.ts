import { beforeAll, expect, test } from '@jest/globals';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/** Long lists, odd schemas, and callers with few permissions, in a browser. */

const opened = useConsole();
const PEOPLE = 1_100;
const MOST_CHANGES = 1_000;
const PASSWORD = 'a long enough password';

/** Names of members that objects inherit, a schema within itself, and what no field can say. */
const ODD_SCHEMA = {
  type: 'object',
  additionalProperties: true,
  required: ['toString'],
  properties: {
    toString: { type: 'string', description: 'Of a name that objects inherit.' },
    count: { type: 'integer', minimum: 1 },
    'a.b': { type: 'string' },
    both: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    within: { $ref: '#' },
    rows: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
    state: { enum: ['on', 5, null] },
  },
};

beforeAll(async () => {
  const { controller } = opened;
  const identities = Array.from({ length: PEOPLE }, (_, i) => ({
    operation: 'create',
    type: 'identity',
    input: { name: `person ${String(i).padStart(4, '0')}`, type: 'Default', isAdmin: false },
  }));
  for (const changes of [identities.slice(0, MOST_CHANGES), identities.slice(MOST_CHANGES)]) {
    await controller.graphql(
      'mutation ($changes: [ModelChangeInput!]!) { applyChanges(changes: $changes) { entityId } }',
      { changes },
    );
  }
  const reader = { name: 'reader', type: 'Default', isAdmin: false };
  const identityId = await controller.create('identities', {
    ...reader,
    permissions: ['identity.read', 'service'],
  });
  const login = { identityId, method: 'updb', username: 'reader', password: PASSWORD };
  await controller.create('authenticators', login);
  await controller.create('services', { name: 'wiki', encryptionRequired: true });
  await controller.create('config-types', { name: 'odd.v1', schema: ODD_SCHEMA });
});

const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const field = (name: string) => opened.page.getByRole('textbox', { name, exact: true });
const status = (text: string) => opened.page.getByRole('status').getByText(text);

inBrowser('the selection in a long list', () => {
  test('is as long as a draft can be, and says so', async () => {
    await opened.enter();
    await opened.open('/entities/identities?filter=name+contains+%22person%22');
    await status('1,100 entries').waitFor();
    await button('Select all').click();
    await status('The first 1,000 of 1,100 are selected').waitFor();
    await status('1,000 selected').waitFor();
  });

  test('is changed by a draft, which is then made', async () => {
    await button('Change').click();
    const dialog = opened.page.getByRole('dialog');
    const roles = dialog.getByLabel('Add role attributes', { exact: true }).first();
    await roles.fill('crew');
    await roles.press('Enter');
    await dialog.getByRole('button', { name: 'Add to the draft' }).click();
    await button('Make these 1000 changes').click();
    await opened.page.getByText('All 1000 changes are made.').waitFor({ timeout: 40_000 });
    const { data } = await opened.controller.graphql(
      '{ identities(filter: "anyOf(roleAttributes) = \\"crew\\"") { totalCount } }',
    );
    expect(data).toEqual({ identities: { totalCount: MOST_CHANGES } });
  });
});

inBrowser('the form of a config with an odd schema', () => {
  test('has a field for all that it can say, and JSON for the rest', async () => {
    await opened.open('/create/configs');
    await field('Name').fill('odd one');
    const type = opened.page.getByRole('combobox', { name: 'Config type' });
    await type.fill('odd');
    await opened.page.getByRole('option', { name: 'odd.v1' }).click();
    await button('Save').click();
    await expect(field('To string').getAttribute('aria-invalid')).resolves.toBe('true');
    await field('To string').fill('a name');
    await field('Count').fill('7');
    await field('A b').fill('with a point');
    await field('Both').fill('12');
    await button('Add: Within').click();
    await field('To string').last().fill('inner');
    await button('Add: Rows').first().click();
    await opened.page.getByLabel('Rows 1').first().fill('cell');
    await opened.page.keyboard.press('Enter');
    await field('Other members').last().fill('{ "more": true }');
    await button('Save').click();
    await opened.page.getByRole('heading', { name: 'odd one', level: 1 }).waitFor();
    const { data } = await opened.controller.graphql('{ configs { nodes { data } } }');
    expect(data).toEqual({
      configs: {
        nodes: [
          {
            data: {
              toString: 'a name',
              count: 7,
              'a.b': 'with a point',
              both: 12,
              within: { toString: 'inner' },
              rows: [['cell']],
              more: true,
            },
          },
        ],
      },
    });
  });
});

inBrowser('a caller who may only read identities', () => {
  test('selects none of them, and services that it may change', async () => {
    await opened.page.getByRole('button', { name: 'Log out' }).click();
    await button('Log in').waitFor();
    await opened.page.getByLabel('Name').fill('reader');
    await opened.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await button('Log in').click();
    await opened.page.getByRole('button', { name: 'Log out' }).waitFor();
    await opened.open('/entities/identities');
    await status('entries').waitFor();
    await opened.page.getByRole('row', { name: /person 0000/ }).waitFor();
    await expect(opened.page.getByRole('checkbox', { name: /^Select/ }).count()).resolves.toBe(0);
    await expect(button('Select all').count()).resolves.toBe(0);
    await opened.open('/entities/services');
    await opened.page.getByRole('checkbox', { name: 'Select wiki' }).waitFor();
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
