import { beforeAll, expect, test } from '@jest/globals';
import { create as createCode } from 'qrcode';
import { authPolicy } from '../trust/auth/client.js';
import { inBrowser, longTest, useConsole } from './support/console-in-browser.js';

/** Lists, pages and forms of entities in a browser. */

const opened = useConsole();
const PEOPLE = 250;

beforeAll(async () => {
  const { controller } = opened;
  // Names sort as numbers do.
  const identities = Array.from({ length: PEOPLE }, (_, i) => ({
    operation: 'create',
    type: 'identity',
    input: {
      name: `person ${String(i).padStart(3, '0')}`,
      type: 'Default',
      isAdmin: false,
      roleAttributes: [i % 2 === 0 ? 'even' : 'odd'],
    },
  }));
  await controller.graphql(
    'mutation ($changes: [ModelChangeInput!]!) { applyChanges(changes: $changes) { entityId } }',
    { changes: identities },
  );
  await controller.create('services', { name: 'wiki', encryptionRequired: true });
});

const row = (name: string | RegExp) => opened.page.getByRole('row', { name });
const field = (name: string) => opened.page.getByRole('textbox', { name, exact: true });
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const status = (text: string) => opened.page.getByRole('status').getByText(text, { exact: true });

inBrowser('a list', () => {
  test('has all entities, of which the browser holds those in view', async () => {
    await opened.enter();
    await opened.page.getByRole('link', { name: 'Identities', exact: true }).first().click();
    // One more: the administrator.
    await status(`${String(PEOPLE + 1)} entries`).waitFor();
    await row(/person 000/).waitFor();
    await expect(row(/person/).count()).resolves.toBeLessThan(100);
    await opened.page.getByRole('region', { name: 'Identities' }).press('End');
    await row(/person 249/).waitFor();
  });

  test('is ordered by a column', async () => {
    await button('Name').click();
    await row(/person 249/).waitFor();
    await expect(opened.page.locator('[aria-rowindex="2"]').innerText()).resolves.toContain(
      'person 249',
    );
    expect(opened.page.url()).toContain('sort=name+desc');
  });

  test('is filtered by a condition or a part of the name, in its address', async () => {
    const filter = opened.page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('anyOf(roleAttributes) = "odd"');
    await button('Filter').click();
    await status('125 entries').waitFor();
    await filter.fill('person 24');
    await button('Filter').click();
    await status('10 entries').waitFor();
    await opened.page.reload();
    await status('10 entries').waitFor();
    await expect(filter.inputValue()).resolves.toBe('name icontains "person 24"');
  });

  longTest('says what is wrong with a condition', async () => {
    await opened.page.getByRole('combobox', { name: 'Filter' }).fill('name =');
    await button('Filter').click();
    await expect(opened.page.getByRole('alert').innerText()).resolves.toMatch(/Request \S+/);
    await button('Show all').click();
    await status(`${String(PEOPLE + 1)} entries`).waitFor();
  });

  test.each([
    ['changes', /^entityName contains "sea" and operation = "\w+"$/],
    ['entities/sessions', /^type = "\w+"$/],
    ['entities/identities', /^name contains "sea" and edgeRouterConnectionStatus = "\w+"$/],
  ])('has an example of a filter of its own: %s', async (path, wanted) => {
    await opened.open(`/${path}`);
    const filter = await opened.page
      .getByRole('combobox', { name: 'Filter' })
      .getAttribute('placeholder');
    expect(filter).toMatch(wanted);
    const list = path.replace('entities/', '');
    const query = `query ($filter: String) { ${list}(filter: $filter) { totalCount } }`;
    expect(await opened.controller.graphql(query, { filter })).not.toHaveProperty('errors');
  });

  test('shows the columns that are chosen', async () => {
    const heads = () => opened.page.getByRole('columnheader').allInnerTexts();
    expect(await heads()).not.toContain('External id');
    await button('Columns').click();
    await opened.page.getByRole('checkbox', { name: 'External id' }).check();
    await opened.page.getByRole('columnheader', { name: 'External id' }).waitFor();
    await opened.page.keyboard.press('Escape');
  });
});

inBrowser('the selection in a list', () => {
  const dialog = () => opened.page.getByRole('dialog');
  const draft = async (): Promise<Record<string, unknown>[]> => {
    const text = await opened.page.evaluate<string>("sessionStorage.getItem('overgraph.draft')");
    return JSON.parse(text) as Record<string, unknown>[];
  };
  const fillList = async (name: string, entry: string): Promise<void> => {
    const list = dialog().getByLabel(name, { exact: true }).first();
    await list.fill(entry);
    await list.press('Enter');
  };

  test('is made by keyboard, and its changes go into the draft', async () => {
    await opened.open('/entities/identities?filter=name+icontains+%22person+24%22');
    await opened.page.getByRole('checkbox', { name: 'Select person 240' }).press('Space');
    await opened.page.getByRole('checkbox', { name: 'Select person 241' }).press('Space');
    await opened.page.getByRole('status').getByText('2 selected').waitFor();
    await button('Change').click();
    await fillList('Add role attributes', 'crew');
    await fillList('Remove role attributes', 'odd');
    await dialog().getByLabel('Set the tag').fill('team');
    await dialog().getByLabel('to the value').fill('sea');
    await dialog().getByRole('button', { name: 'Add to the draft' }).click();
    await opened.page.getByRole('region', { name: 'Update person 241' }).waitFor();
    expect((await draft()).map(({ name, input }) => [name, input])).toEqual([
      ['person 240', { roleAttributes: ['even', 'crew'], tags: { team: 'sea' } }],
      ['person 241', { roleAttributes: ['crew'], tags: { team: 'sea' } }],
    ]);
  });

  longTest('adds nothing to the draft after its dialog was closed', async () => {
    const { page } = opened;
    const before = await draft();
    await opened.open('/entities/identities?filter=name+icontains+%22person+24%22');
    await page.getByRole('checkbox', { name: 'Select person 242' }).press('Space');
    await button('Change').click();
    await fillList('Add role attributes', 'never');
    await opened.whileHeld(
      'id in [',
      () => dialog().getByRole('button', { name: 'Add to the draft' }).click(),
      () => page.keyboard.press('Escape'),
    );
    await page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes('id in [')),
    );
    await dialog().waitFor({ state: 'detached' });
    await status('1 selected').waitFor();
    expect(await draft()).toEqual(before);
  });

  longTest('is all that the filter matches, on top of what the draft has', async () => {
    await opened.open('/entities/identities?filter=name+icontains+%22person+24%22');
    await button('Select all').click();
    await opened.page.getByRole('status').getByText('10 selected').waitFor();
    await button('Change').click();
    await fillList('Add role attributes', 'crew');
    await fillList('Add role attributes', 'late');
    await dialog().getByRole('button', { name: 'Add to the draft' }).click();
    await opened.page.getByRole('region', { name: 'Update person 249' }).waitFor();
    const changes = await draft();
    expect(changes.map(({ name }) => name)).toHaveLength(10);
    expect(changes[1]?.input).toEqual({
      roleAttributes: ['crew', 'late'],
      tags: { team: 'sea' },
    });
    const { data } = await opened.controller.graphql(
      '{ identities(filter: "anyOf(roleAttributes) = \\"crew\\"") { totalCount } }',
    );
    expect(data).toEqual({ identities: { totalCount: 0 } });
  });

  test('is deleted by the draft alone, and ends with its filter', async () => {
    await button('Empty the draft').click();
    await opened.open('/entities/services');
    await opened.page.getByRole('checkbox', { name: 'Select wiki' }).check();
    await button('Delete').click();
    await dialog().getByRole('button', { name: 'Add to the draft' }).click();
    await opened.page.getByRole('region', { name: 'Delete wiki' }).waitFor();
    await button('Empty the draft').click();
    await opened.open('/entities/services');
    await opened.page.getByRole('checkbox', { name: 'Select wiki' }).check();
    await opened.page.getByRole('combobox', { name: 'Filter' }).fill('wiki');
    await button('Filter').click();
    await status('1 entry').waitFor();
    await opened.page.getByText('1 selected').waitFor({ state: 'detached' });
  });

  longTest('leaves out of its deletion what the controller keeps, and says why', async () => {
    const { controller, page } = opened;
    const quay = await controller.create('edge-routers', { name: 'quay', isTunnelerEnabled: true });
    const list = (filter: string) =>
      opened.open(`/entities/identities?filter=${encodeURIComponent(filter)}`);
    const kept = 'name = "quay" or isDefaultAdmin = true';
    await list(`${kept} or name = "person 249"`);
    await button('Select all').click();
    await button('Delete').click();
    await dialog().getByRole('button', { name: 'Add to the draft' }).click();
    const words =
      'The controller deletes one of them with its edge router alone. The first administrator can not be deleted.';
    await dialog().getByText(`${words} Add the other one to the draft?`).waitFor();
    await dialog().getByRole('button', { name: 'Add to the draft' }).click();
    await page.getByRole('region', { name: 'Delete person 249' }).waitFor();
    expect((await draft()).map(({ name }) => name)).toEqual(['person 249']);
    await button('Empty the draft').click();
    await list(kept);
    await button('Select all').click();
    await button('Delete').click();
    await dialog().getByRole('button', { name: 'Add to the draft' }).click();
    await dialog().getByText(`${words} Nothing else is selected.`).waitFor();
    expect(await draft()).toEqual([]);
    await page.keyboard.press('Escape');
    await controller.rest('DELETE', `/edge-routers/${quay}`);
  });
});

inBrowser('a form', () => {
  test('makes an entity, after it has told what is missing', async () => {
    await opened.open('/entities/services');
    await opened.page.getByRole('link', { name: 'New' }).click();
    await button('Save').click();
    await opened.page.getByText('It is needed.').waitFor();
    await field('Name').fill('vault');
    await opened.page.getByRole('checkbox', { name: 'Encryption required' }).check();
    await opened.page.getByLabel('Role attributes').first().fill('secret');
    await opened.page.keyboard.press('Enter');
    await button('Save').click();
    await opened.page.getByRole('heading', { name: 'vault', level: 1, exact: true }).waitFor();
    const { data } = await opened.controller.graphql(
      '{ services(filter: "name = \\"vault\\"") { nodes { roleAttributes encryptionRequired } } }',
    );
    expect(data).toEqual({
      services: { nodes: [{ roleAttributes: ['secret'], encryptionRequired: true }] },
    });
  });

  test('shows the reason of the controller at its field', async () => {
    await opened.page.getByRole('link', { name: 'Edit' }).click();
    await field('Name').fill('wiki');
    await button('Save').click();
    await opened.page.getByRole('alert').waitFor();
    await expect(field('Name').getAttribute('aria-invalid')).resolves.toBe('true');
  });

  test('saves what was changed, unless somebody else was faster', async () => {
    await field('Name').fill('safe');
    const id = /services\/([^/?]+)/.exec(opened.page.url())?.[1] ?? '';
    await opened.controller.rest('PATCH', `/services/${id}`, { tags: { by: 'another' } });
    await button('Save').click();
    await expect(opened.page.getByRole('alert').innerText()).resolves.toMatch(/revision/i);
    await opened.page.reload();
    await field('Name').fill('safe');
    await button('Save').click();
    await opened.page.getByRole('heading', { name: 'safe', level: 1, exact: true }).waitFor();
    await expect(opened.controller.rest('GET', `/services/${id}`)).resolves.toMatchObject({
      body: { data: { name: 'safe', tags: { by: 'another' } } },
    });
  });
});

inBrowser('the enrollment of an identity', () => {
  const pending = async (): Promise<Record<string, unknown>[]> => {
    const { data } = await opened.controller.graphql(
      '{ enrollments { nodes { jwt method expiresAt } } }',
    );
    return (data as { enrollments: { nodes: Record<string, unknown>[] } }).enrollments.nodes;
  };
  const days = (at: unknown): number => (Date.parse(String(at)) - Date.now()) / 86_400_000;

  test('is made for a time, and gives its JWT as a file and as a QR code', async () => {
    await opened.open('/entities/identities?filter=name+%3D+%22person+000%22');
    await opened.page.getByRole('link', { name: 'person 000', exact: true }).click();
    await opened.page.getByRole('tab', { name: 'Enrollment' }).click();
    await opened.page.getByText('Nothing waits for its enrollment.').waitFor();
    await opened.page.getByRole('combobox', { name: 'Valid for' }).click();
    await opened.page.getByRole('option', { name: '7 days' }).click();
    await button('Make an enrollment').click();
    await opened.page.getByText('It is valid until').waitFor();
    const [made] = await pending();
    expect(made?.method).toBe('ott');
    expect(Math.round(days(made?.expiresAt))).toBe(7);
    const file = await opened.saved(() => button('Save as a file').click());
    expect(file.toString()).toBe(made?.jwt);
    await button('Show the QR code').click();
    const code = opened.page.getByRole('img', { name: 'QR code of the JWT' });
    const { size } = createCode(String(made?.jwt), { errorCorrectionLevel: 'L' }).modules;
    const width = String(size + 8);
    await expect(code.getAttribute('viewBox')).resolves.toBe(`-4 -4 ${width} ${width}`);
  });

  test('gets a new token, and tells when it has ended', async () => {
    const [before] = await pending();
    await button('Make a new token').click();
    await opened.page.getByText(/in 24 hours|tomorrow/).waitFor();
    const [after] = await pending();
    expect(after?.jwt).not.toBe(before?.jwt);
    expect(Math.round(days(after?.expiresAt))).toBe(1);
    await opened.page.clock.setFixedTime(Date.now() + 2 * 86_400_000);
    await opened.page.reload();
    await opened.page.getByText('It can not be used any more: it ended').waitFor();
    await expect(button('Copy the JWT').count()).resolves.toBe(0);
    await opened.page.clock.setFixedTime(Date.now());
  });
});

inBrowser('the page of an entity', () => {
  test('has its members, its relations and its history', async () => {
    await opened.open('/entities/services?filter=name+%3D+%22safe%22');
    await opened.page.getByRole('link', { name: 'safe', exact: true }).click();
    await opened.page.getByRole('tab', { name: 'Attributes' }).waitFor();
    await expect(
      opened.page.getByRole('definition').filter({ hasText: 'secret' }).count(),
    ).resolves.toBe(1);
    await opened.page.getByRole('tab', { name: 'Service policies' }).click();
    await opened.page.getByText('Nothing here.').waitFor();
    await opened.page.getByRole('tab', { name: 'History' }).click();
    await status('3 entries').waitFor();
    await row(/Update/)
      .first()
      .getByRole('button')
      .click();
    const dialog = opened.page.getByRole('dialog');
    await expect(dialog.getByRole('row', { name: /^Name/ }).innerText()).resolves.toMatch(
      /vault\s+safe/,
    );
    await opened.page.keyboard.press('Escape');
  });

  test('adds and removes role attributes in their place, and keeps those that others add', async () => {
    const { controller, page } = opened;
    const id = /services\/([^/?]+)/.exec(page.url())?.[1] ?? '';
    await page.getByRole('tab', { name: 'Attributes' }).click();
    const added = page.getByRole('combobox', { name: 'Add a role attribute' });
    // Another administrator, of whom the page knows nothing.
    await controller.rest('PATCH', `/services/${id}`, { roleAttributes: ['other', 'secret'] });
    await added.fill('vip');
    await added.press('Enter');
    await button('Remove: vip').waitFor();
    await button('Remove: other').press('Enter');
    await status('“other” is removed.').waitFor({ state: 'attached' });
    await button('Remove: other').waitFor({ state: 'detached' });
    await page.locator('input:focus[aria-label="Add a role attribute"]').waitFor();
    await added.fill('#vip');
    await button('Add').click();
    await page.getByRole('alert').getByText('roleAttributes').waitFor();
    const { body } = await controller.rest('GET', `/services/${id}`);
    expect(body.data).toMatchObject({ roleAttributes: ['secret', 'vip'] });
  });

  longTest('goes back from a form that was opened by its address', async () => {
    const { page } = opened;
    const address = new URL(page.url()).pathname;
    await opened.open(address.replace('/console/entities', '/edit'));
    await button('Cancel').click();
    await page.getByRole('heading', { name: 'safe', level: 1, exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(address);
  });

  longTest('offers no change of what the controller keeps', async () => {
    const { controller, page } = opened;
    const service = page.url();
    const gate = await controller.create('edge-routers', { name: 'gate', isTunnelerEnabled: true });
    await opened.open('/entities/edgeRouterPolicies');
    await page.getByRole('region').getByRole('link').first().click();
    await page.getByRole('tab', { name: 'History' }).waitFor();
    await expect(page.getByRole('link', { name: 'Edit' }).count()).resolves.toBe(0);
    await expect(button('Delete').count()).resolves.toBe(0);
    await opened.open(new URL(page.url()).pathname.replace('/console/entities', '/edit'));
    await page.getByText('The controller keeps it. No form can change it.').waitFor();
    await expect(field('Name').count()).resolves.toBe(0);
    // The identity of the router has attributes of its own, but goes with the router alone.
    await opened.open(`/entities/identities/${gate}`);
    await page.getByRole('link', { name: 'Edit' }).waitFor();
    await expect(button('Delete').count()).resolves.toBe(0);
    await page.goto(service);
  });

  test('tells its certificate in words', async () => {
    const service = opened.page.url();
    await opened.open('/entities/controllers');
    await opened.page.getByRole('region').getByRole('link').first().click();
    const { data } = await opened.controller.graphql(
      '{ controllers { nodes { certificateDetails { subject key notAfter } } } }',
    );
    const [{ certificateDetails: said }] = (
      data as { controllers: { nodes: [{ certificateDetails: Record<string, string> }] } }
    ).controllers.nodes;
    const days = Math.floor((Date.parse(said.notAfter ?? '') - Date.now()) / 86_400_000);
    for (const text of [said.subject, said.key, `It ends in ${String(days)} days.`]) {
      await opened.page.getByText(String(text), { exact: true }).first().waitFor();
    }
    await opened.page.goto(service);
  });

  test('deletes it, after a question', async () => {
    await button('Delete').click();
    await button('Delete now').click();
    await opened.page.getByRole('heading', { name: 'Services', level: 1, exact: true }).waitFor();
    await status('1 entry').waitFor();
  });

  longTest('tells the names of the entities for which it can not be deleted', async () => {
    const { controller, page } = opened;
    const policy = authPolicy({});
    const authPolicyId = await controller.create('auth-policies', policy);
    const name = `<b>bold</b> service ${authPolicyId} ${'Überlang'.repeat(25)}`;
    const identity = { name, type: 'Default', isAdmin: false, authPolicyId };
    const id = await controller.create('identities', identity);
    await opened.open(`/entities/authPolicies/${authPolicyId}`);
    // Before it is read, a page has the id in place of the name.
    await page.getByRole('heading', { name: String(policy.name), level: 1, exact: true }).waitFor();
    await button('Delete').click();
    // The dialog tells beforehand that the deletion will be refused.
    await page
      .getByRole('alert')
      .getByText(`: ${String(policy.name)}: referenced by identity`)
      .waitFor();
    await button('Delete now').click();
    const alert = page.getByRole('alert').filter({ hasNotText: String(policy.name) });
    const link = alert.getByRole('link', { name, exact: true });
    await link.waitFor();
    await expect(alert.innerText()).resolves.toContain(`referenced by identity ${name} (${id})`);
    await expect(link.getAttribute('href')).resolves.toBe(`/console/entities/identities/${id}`);
    await expect(page.getByRole('alert').count()).resolves.toBe(1);
    await expect(page.evaluate('document.documentElement.scrollWidth <= innerWidth')).resolves.toBe(
      true,
    );
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
