import { beforeAll, expect, test } from '@jest/globals';
import { newAuthority, newLeaf } from '../../trust/auth/certificates.js';
import {
  call,
  newPerson,
  PASSWORD as OLD_PASSWORD,
  passwordLogin,
} from '../../trust/auth/client.js';
import { addVerified } from '../../trust/enrollment/enrolling.js';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/** Long lists, odd schemas, and callers with few permissions, in a browser. */

const opened = useConsole();
const PEOPLE = 1_100;
const MAX_CHANGES = 1_000;
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
  for (const changes of [identities.slice(0, MAX_CHANGES), identities.slice(MAX_CHANGES)]) {
    await controller.graphql(
      'mutation ($changes: [ModelChangeInput!]!) { applyChanges(changes: $changes) { entityId } }',
      { changes },
    );
  }
  const reader = { name: 'reader', type: 'Default', isAdmin: false };
  const identityId = await controller.create('identities', {
    ...reader,
    permissions: ['admin_readonly', 'service'],
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
    await opened.page.getByText('All 1000 changes are made.').waitFor();
    const { data } = await opened.controller.graphql(
      '{ identities(filter: "anyOf(roleAttributes) = \\"crew\\"") { totalCount } }',
    );
    expect(data).toEqual({ identities: { totalCount: MAX_CHANGES } });
  });
});

inBrowser('a long import file of YAML', () => {
  const ENTRIES = 12_000;
  const entry = (i: number): string =>
    `  - name: service ${String(i)}\n    encryptionRequired: true\n    tags:\n      note: |\n        - no entry\n`;
  const content = `services:\n${Array.from({ length: ENTRIES }, (_, i) => entry(i)).join('')}`;
  test('is read in parts, with all entries', async () => {
    await opened.open('/draft');
    await opened.openFile('long.yaml', content);
    await opened.page.getByText('The file makes 12,000 changes.').waitFor();
  });

  test('has the place of a fault', async () => {
    await opened.openFile('long.yaml', `${content}  - name: [`);
    await opened.page.getByText('in line 60002, column 12: Flow sequence').waitFor();
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
    await opened.page.getByRole('heading', { name: 'odd one', level: 1, exact: true }).waitFor();
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

inBrowser('the form of a policy', () => {
  const list = (name: string) => opened.page.getByLabel(name, { exact: true }).first();
  const entries = (name: string) =>
    opened.page
      .locator('.mantine-InputWrapper-root', { has: opened.page.getByLabel(name, { exact: true }) })
      .locator('.mantine-Pill-root');
  const newIdentity = (name: string): Promise<string> =>
    opened.controller.create('identities', { name, type: 'Default', isAdmin: false });
  const newPolicy = async (name: string): Promise<void> => {
    await opened.open('/create/servicePolicies');
    await field('Name').fill(name);
    for (const [label, value] of [
      ['Semantic', 'Any of'],
      ['Type', 'Dial'],
    ] as const) {
      await opened.page.getByRole('combobox', { name: label, exact: true }).click();
      await opened.page.getByRole('option', { name: value, exact: true }).click();
    }
  };
  const rolesOf = async (name: string): Promise<unknown> => {
    const { data } = await opened.controller.graphql(
      'query ($filter: String) { servicePolicies(filter: $filter) { nodes { identityRoles serviceRoles } } }',
      { filter: `name = ${JSON.stringify(name)}` },
    );
    return (data as { servicePolicies: { nodes: unknown[] } }).servicePolicies.nodes[0];
  };

  test('takes names of all kinds for what they are', async () => {
    const wiki = await newIdentity('wiki');
    const others = await Promise.all(['#all', '@ada', 'ada', 'Ada', 'a, b', wiki].map(newIdentity));
    const gone = await newIdentity('gone');
    const names = ['wiki', '#all', '@ada', 'ada', 'Ada', 'a, b', wiki];
    await newPolicy('of odd names');
    for (const name of names) {
      await list('Identity roles').fill(`@${name}`);
      await list('Identity roles').press('Enter');
    }
    await list('Identity roles').fill(gone);
    await opened.page.getByRole('option', { name: '@gone', exact: true }).click();
    await list('Identity roles').fill('#of two words, and @more');
    await list('Identity roles').press('Enter');
    await list('Service roles').fill('wiki');
    await list('Service roles').press('Enter');
    await expect(entries('Identity roles').allInnerTexts()).resolves.toEqual([
      ...names.map((name) => `@${name}`),
      '@gone',
      '#of two words, and @more',
    ]);
    await opened.controller.rest('DELETE', `/identities/${gone}`);
    await button('Save').click();
    await opened.page
      .getByRole('alert')
      .getByText(/Request \S+/)
      .waitFor();
    await expect(list('Identity roles').getAttribute('aria-invalid')).resolves.toBe('true');
    const lost = entries('Identity roles').getByText(`@${gone} (it does not exist)`);
    await lost.waitFor();
    await list('Identity roles').press('Backspace');
    await list('Identity roles').press('Backspace');
    await lost.waitFor({ state: 'detached' });
    await button('Save').click();
    await opened.page
      .getByRole('heading', { name: 'of odd names', level: 1, exact: true })
      .waitFor();
    const { data } = await opened.controller.graphql(
      '{ services(filter: "name = \\"wiki\\"") { nodes { id } } }',
    );
    const [{ id: service }] = (data as { services: { nodes: [{ id: string }] } }).services.nodes;
    expect(await rolesOf('of odd names')).toEqual({
      identityRoles: [wiki, ...others].map((id) => `@${id}`).sort(),
      serviceRoles: [`@${service}`],
    });
  });

  test('is sent once, and does not come back when it was left', async () => {
    const { page } = opened;
    await newPolicy('left');
    let sent = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('mutation Create(')) sent += 1;
    });
    await opened.whileHeld(
      'mutation Create(',
      () => button('Save').dblclick(),
      async () => {
        await page.getByRole('link', { name: 'Services', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
        await page.getByRole('heading', { name: 'Services', level: 1, exact: true }).waitFor();
      },
    );
    await page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes('mutation Create(')),
    );
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1, exact: true }).waitFor();
    expect(await rolesOf('left')).toBeDefined();
    expect(sent).toBe(1);
    await page.unrouteAll();
  });
});

interface PendingEnrollment {
  readonly method: string;
  readonly username: string | null;
  readonly token: string;
}

/** The enrollments of an identity that were not used yet. */
async function pendingOf(identityId: string): Promise<PendingEnrollment[]> {
  const { data } = await opened.controller.graphql(
    'query ($filter: String!) { enrollments(filter: $filter) { nodes { method username token } } }',
    { filter: `identity = "${identityId}"` },
  );
  return (data as { enrollments: { nodes: PendingEnrollment[] } }).enrollments.nodes;
}

inBrowser('the enrollment of an identity', () => {
  const enroll = (query: string, options: Parameters<typeof call>[3]) =>
    call(opened.controller, 'POST', `/enroll${query}`, options);
  const openEnrollment = (id: string) => opened.open(`/entities/identities/${id}?tab=enrollments`);
  const choose = async (name: RegExp): Promise<void> => {
    await opened.page.getByRole('combobox', { name: 'How it enrolls' }).click();
    await opened.page.getByRole('option', { name }).click();
  };
  const newIdentity = (name: string): Promise<string> =>
    opened.controller.create('identities', { name, type: 'Default', isAdmin: false });

  test('by a password gives the name that logs in', async () => {
    const id = await newIdentity('penny');
    await openEnrollment(id);
    await choose(/for a name and a password/);
    await button('Make an enrollment').click();
    await opened.page.locator('input:invalid').waitFor();
    expect(await pendingOf(id)).toEqual([]);
    await field('Name').fill('penny.lane');
    await button('Make an enrollment').click();
    await opened.page.getByText('Name: penny.lane').waitFor();
    const [made] = await pendingOf(id);
    expect(made).toMatchObject({ method: 'updb', username: 'penny.lane' });
    const body = { username: 'penny.lane', password: PASSWORD };
    const { status } = await enroll(`?method=updb&token=${String(made?.token)}`, { body });
    expect(status).toBe(200);
    await opened.page.reload();
    await opened.page.getByRole('link', { name: 'Password of penny.lane' }).waitFor();
  });

  test('by an authority takes a certificate of it alone', async () => {
    const authority = await newAuthority('factory');
    const settings = { name: 'factory', isOttCaEnrollmentEnabled: true };
    await addVerified(opened.controller, authority, settings);
    const id = await newIdentity('lathe');
    await openEnrollment(id);
    await choose(/with a certificate of an authority/);
    await opened.page.getByRole('combobox', { name: 'Authority' }).fill('fact');
    await opened.page.getByRole('option', { name: 'factory' }).click();
    await button('Make an enrollment').click();
    await opened.page.getByRole('link', { name: 'factory' }).waitFor();
    const [made] = await pendingOf(id);
    expect(made?.method).toBe('ottca');
    const certificate = await newLeaf('lathe', authority);
    const { status } = await enroll(`?method=ottca&token=${String(made?.token)}`, { certificate });
    expect(status).toBe(200);
    await opened.page.reload();
    await button('Enroll again: Certificate').waitFor();
  });

  test('begins again after a question, and ends the login before it', async () => {
    const person = await newPerson(opened.controller);
    await openEnrollment(person.id);
    await button(`Enroll again: Password of ${person.username}`).click();
    const dialog = opened.page.getByRole('dialog');
    await dialog.getByText('The present way to log in ends').waitFor();
    await opened.page.keyboard.press('Escape');
    expect((await passwordLogin(opened.controller, person)).status).toBe(200);
    await button(`Enroll again: Password of ${person.username}`).click();
    await dialog.getByRole('button', { name: 'Enroll again now' }).dblclick();
    await opened.page.getByText(`Name: ${person.username}`).waitFor();
    expect((await passwordLogin(opened.controller, person)).status).toBe(401);
    const pending = await pendingOf(person.id);
    expect(pending.map(({ method }) => method)).toEqual(['updb']);
    const body = { username: person.username, password: OLD_PASSWORD };
    await enroll(`?method=updb&token=${String(pending[0]?.token)}`, { body });
    expect((await passwordLogin(opened.controller, person)).status).toBe(200);
  });
});

inBrowser('a caller who may change services alone', () => {
  test('selects no identities, and services', async () => {
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
