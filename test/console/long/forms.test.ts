import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN_PASSWORD } from '../../support/controller.js';
import { settledChangeOf } from '../../support/settled-change.js';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/** Forms whose fields name other entities, follow a schema, and hold what is not saved yet. */

const opened = useConsole();

beforeAll(async () => {
  const { controller } = opened;
  for (const [name, attribute] of [
    ['person 000', 'even'],
    ['person 001', 'odd'],
    ['person 002', 'even'],
  ] as const) {
    const identity = { name, type: 'Default', isAdmin: false, roleAttributes: [attribute] };
    await controller.create('identities', identity);
  }
  await controller.create('services', { name: 'wiki', encryptionRequired: true });
});

const field = (name: string) => opened.page.getByRole('textbox', { name, exact: true });
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });

inBrowser('the form of a config', () => {
  const choice = (name: string) => opened.page.getByRole('checkbox', { name, exact: true });
  const addTo = async (name: string, entries: readonly string[]): Promise<void> => {
    const list = opened.page.getByLabel(name).first();
    for (const entry of entries) {
      await list.fill(entry);
      await list.press('Enter');
    }
  };
  const configs = async (): Promise<unknown> => {
    const { data } = await opened.controller.graphql('{ configs { nodes { name data } } }');
    return (data as { configs: { nodes: unknown } }).configs.nodes;
  };

  test('follows the schema of the type, and tells what is missing', async () => {
    await opened.enter();
    await opened.open('/create/configs');
    await field('Name').fill('wiki.intercept');
    const type = opened.page.getByRole('combobox', { name: 'Config type' });
    await type.fill('intercept');
    await opened.page.getByRole('option', { name: 'intercept.v1', exact: true }).click();
    await choice('tcp').check();
    await button('Add: Port ranges').click();
    await field('Low').fill('70000');
    await field('High').fill('443');
    await button('Save').click();
    await opened.page.getByText('It is between 0 and 65535.').waitFor();
    await opened.page.getByText('It is needed.').waitFor();
    await field('Low').fill('80');
    await addTo('Addresses', ['wiki.example', 'bad-']);
    await opened.page.getByText('It is between').waitFor({ state: 'detached' });
  });

  test('shows what the controller refuses at the place in the data', async () => {
    await button('Save').click();
    await opened.page.getByRole('alert').waitFor();
    const addresses = opened.page.getByLabel('Addresses').first();
    await expect(addresses.getAttribute('aria-invalid')).resolves.toBe('true');
    await addresses.press('Backspace');
    await button('Save').click();
    await opened.page
      .getByRole('heading', { name: 'wiki.intercept', level: 1, exact: true })
      .waitFor();
    expect(await configs()).toEqual([
      {
        name: 'wiki.intercept',
        data: {
          protocols: ['tcp'],
          portRanges: [{ low: 80, high: 443 }],
          addresses: ['wiki.example'],
        },
      },
    ]);
  });

  test('has the same data as JSON', async () => {
    await opened.page.getByRole('link', { name: 'Edit' }).click();
    await opened.page.getByRole('switch', { name: 'As JSON' }).click();
    const json = field('Data');
    await json.fill('{ "protocols": ');
    await button('Save').click();
    await opened.page.getByText('This is not JSON.').waitFor();
    await json.fill(
      '{ "protocols": ["udp"], "addresses": ["a.example"], "portRanges": [{ "low": 1, "high": 2 }] }',
    );
    await opened.page.getByRole('switch', { name: 'As JSON' }).click();
    await expect(choice('udp').isChecked()).resolves.toBe(true);
    await button('Remove: Port ranges 1').click();
    await button('Save').click();
    await opened.page.getByText('It has at least one entry.').waitFor();
    await button('Add: Port ranges').click();
    await field('Low').fill('5');
    await field('High').fill('6');
    await button('Save').click();
    await opened.page.getByRole('tab', { name: 'Attributes' }).waitFor();
    expect(await configs()).toMatchObject([
      { data: { protocols: ['udp'], portRanges: [{ low: 5, high: 6 }] } },
    ]);
  });
});

inBrowser('the form of a policy', () => {
  const roles = (name: string) => opened.page.getByLabel(name, { exact: true }).first();
  const entries = (name: string) =>
    opened.page
      .locator('.mantine-InputWrapper-root', { has: opened.page.getByLabel(name, { exact: true }) })
      .locator('.mantine-Pill-root');
  const idOf = async (list: string, name: string): Promise<string> => {
    const { data } = await opened.controller.graphql(
      `query ($filter: String) { rows: ${list}(filter: $filter) { nodes { id } } }`,
      { filter: `name = ${JSON.stringify(name)}` },
    );
    return (data as { rows: { nodes: [{ id: string }] } }).rows.nodes[0].id;
  };
  let people: string[];
  let policyId: string;

  beforeAll(async () => {
    const names = ['person 000', 'person 001', 'person 002'];
    people = await Promise.all(names.map((name) => idOf('identities', name)));
    const [first = ''] = people;
    policyId = await opened.controller.create('service-policies', {
      name: 'readers',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${first}`, '#odd'],
      serviceRoles: [`@${await idOf('services', 'wiki')}`],
    });
  });

  test('shows and takes the names of what it selects', async () => {
    await opened.open(`/edit/servicePolicies/${policyId}`);
    await entries('Service roles').getByText('@wiki', { exact: true }).waitFor();
    await expect(entries('Identity roles').allInnerTexts()).resolves.toEqual([
      '#odd',
      '@person 000',
    ]);
    await roles('Identity roles').fill('son 001');
    await opened.page.getByRole('option', { name: '@person 001' }).click();
    // Before the controller has offered it.
    await roles('Identity roles').fill('@person 002');
    await roles('Identity roles').press('Enter');
    await roles('Identity roles').fill('#ev');
    await opened.page.getByRole('option', { name: '#even', exact: true }).click();
    await roles('Service roles').fill('@nowhere');
    await button('Save').click();
    await opened.page.getByText('There is no “nowhere” among the services.').waitFor();
    await expect(roles('Service roles').getAttribute('aria-invalid')).resolves.toBe('true');
    await roles('Service roles').press('Backspace');
    await button('Save').click();
    await opened.page.getByRole('heading', { name: 'readers', level: 1, exact: true }).waitFor();
    const { body } = await opened.controller.rest('GET', `/service-policies/${policyId}`);
    const { identityRoles } = body.data as { identityRoles: string[] };
    expect(identityRoles).toEqual(['#even', '#odd', ...people.map((id) => `@${id}`).sort()]);
  });

  test('leaves a change whose values have these names, too', async () => {
    const { page, controller } = opened;
    await settledChangeOf(controller);
    await page.getByRole('tab', { name: 'History' }).click();
    await page
      .getByRole('row', { name: /Update/ })
      .first()
      .getByRole('button')
      .click();
    const names = '#even #odd @person 000 @person 001 @person 002';
    const row = page.getByRole('dialog').getByRole('row', { name: /^Identity roles/ });
    await row.getByText('@person 001').waitFor();
    const [, before = '', after = ''] = await row.getByRole('cell').allInnerTexts();
    expect(before.split(/\s*\n\s*/)).toEqual(['#odd', '@person 000']);
    expect(after.split(/\s*\n\s*/).sort()).toEqual(names.split(/ (?=[#@])/));
    await page.keyboard.press('Escape');
  });

  test('of a service names configs with their types', async () => {
    const wiki = await idOf('services', 'wiki');
    await opened.open(`/edit/services/${wiki}`);
    const configs = opened.page.getByRole('combobox', { name: 'Configs', exact: true });
    await configs.fill('wiki.inter');
    await opened.page.getByRole('option', { name: 'wiki.intercept (intercept.v1)' }).click();
    await button('Save').click();
    await opened.page.getByRole('heading', { name: 'wiki', level: 1, exact: true }).waitFor();
    const { body } = await opened.controller.rest('GET', `/services/${wiki}`);
    const config = await idOf('configs', 'wiki.intercept');
    expect(body.data).toMatchObject({ configs: [config] });
    await expect(opened.page.getByText(config).count()).resolves.toBe(0);
    await opened.page.getByRole('tab', { name: 'Configs' }).click();
    await opened.page.getByRole('link', { name: 'wiki.intercept', exact: true }).waitFor();
    await opened.page.getByRole('link', { name: 'Edit' }).click();
    await entries('Configs').getByText('wiki.intercept (intercept.v1)').waitFor();
  });
});

inBrowser('a form with changes', () => {
  const question = () => opened.page.getByRole('dialog', { name: 'Leave without saving?' });

  test('asks before it is left', async () => {
    const { page } = opened;
    await opened.open('/entities/services');
    await page.getByRole('link', { name: 'New' }).click();
    await field('Name').fill('half typed');
    await page.getByRole('link', { name: 'Identities', exact: true }).first().click();
    await question().getByRole('button', { name: 'Stay' }).click();
    await expect(field('Name').inputValue()).resolves.toBe('half typed');
    await page.goBack();
    await question().waitFor();
    await page.keyboard.press('Escape');
    await expect(field('Name').inputValue()).resolves.toBe('half typed');
    const [asked] = await Promise.all([
      page.waitForEvent('dialog'),
      page.evaluate('setTimeout(() => location.reload(), 0)'),
    ]);
    expect(asked.type()).toBe('beforeunload');
    await asked.dismiss();
    await expect(field('Name').inputValue()).resolves.toBe('half typed');
  });

  test('is left after the question, and without one when nothing changed', async () => {
    const { page } = opened;
    await button('Cancel').click();
    await question().getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('link', { name: 'New' }).click();
    await field('Name').fill('x');
    await field('Name').fill('');
    await page.getByRole('link', { name: 'Identities', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Identities', level: 1, exact: true }).waitFor();
  });
});

inBrowser('the form of an identity of a router', () => {
  test('has no member that the controller takes from the router, and says so', async () => {
    const { controller, page } = opened;
    const gate = await controller.create('edge-routers', { name: 'gate', isTunnelerEnabled: true });
    await opened.open(`/edit/identities/${gate}`);
    await page.getByText('The form does not have name, type').waitFor();
    await expect(field('Name').count()).resolves.toBe(0);
    await expect(page.getByRole('combobox', { name: 'Type' }).count()).resolves.toBe(0);
    await page.getByLabel('Role attributes').first().fill('gates');
    await page.keyboard.press('Enter');
    await button('Save').click();
    await page.getByRole('heading', { name: 'gate', level: 1, exact: true }).waitFor();
    await expect(controller.rest('GET', `/identities/${gate}`)).resolves.toMatchObject({
      body: { data: { name: 'gate', typeId: 'Router', roleAttributes: ['gates'] } },
    });
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('link', { name: 'edge router', exact: true }).click();
    await page.getByRole('heading', { name: 'gate', level: 1, exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/entities/edgeRouters/${gate}`);
  });
});

inBrowser('a draft of a router', () => {
  test('may change an identity that comes with its router, and only such a one', async () => {
    const { controller, page } = opened;
    const dock = await controller.create('edge-routers', {
      name: 'dock',
      isTunnelerEnabled: false,
    });
    const identityOf = (id: string) => {
      const input = { roleAttributes: ['docks'] };
      return { operation: 'update', type: 'Identity', name: `identity of ${id}`, id, input };
    };
    const router = { type: 'EdgeRouter', name: 'dock' };
    const [on, off] = [{ isTunnelerEnabled: true }, { isTunnelerEnabled: false }];
    const changes = [
      { ...router, operation: 'create', id: 'other-dock', input: { name: 'other dock', ...off } },
      identityOf('other-dock'),
      { ...router, operation: 'update', id: dock, input: on },
      identityOf(dock),
    ];
    await opened.openDraft(changes);
    const gone = (id: string) =>
      page
        .getByRole('region', { name: `Update identity of ${id}` })
        .getByText('Somebody has deleted it');
    await gone('other-dock').waitFor();
    await expect(gone(dock).count()).resolves.toBe(0);
    await button('Remove the change of identity of other-dock').click();
    await button('Make these 3 changes').click();
    await page.getByText('All 3 changes are made.').waitFor();
    const { body } = await controller.rest('GET', `/identities/${dock}`);
    expect(body.data).toMatchObject({ name: 'dock', roleAttributes: ['docks'] });
  });
});

inBrowser('a form with changes, at the logout,', () => {
  const question = () => opened.page.getByRole('dialog', { name: 'Leave without saving?' });
  const logIn = () => button('Log in');

  test('asks whether it may be left', async () => {
    await opened.open('/create/services');
    await field('Name').fill('half typed');
    await button('Log out').click();
    await question().getByRole('button', { name: 'Stay' }).click();
    await question().waitFor({ state: 'detached' });
    await expect(field('Name').inputValue()).resolves.toBe('half typed');
    await expect(logIn().count()).resolves.toBe(0);
    await button('Log out').click();
    await question().getByRole('button', { name: 'Leave' }).click();
    await logIn().waitFor();
    await expect(question().count()).resolves.toBe(0);
    const { data } = await opened.controller.graphql('{ apiSessions { totalCount } }');
    // That of the test itself.
    expect(data).toEqual({ apiSessions: { totalCount: 1 } });
  });

  test('is left without a question when nothing changed', async () => {
    await opened.logIn(ADMIN_PASSWORD);
    await button('Log out').waitFor();
    await expect(field('Name').inputValue()).resolves.toBe('');
    await button('Log out').click();
    await logIn().waitFor();
  });
});

inBrowser('the forms together', () => {
  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
