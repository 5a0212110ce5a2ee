import { beforeAll, expect, test } from '@jest/globals';
import { settledChangeOf } from '../support/settled-change.js';
import { inBrowser, longTest, useConsole } from './support/console-in-browser.js';

/** Drafts of changes in a browser. */

const opened = useConsole();
let policyId: string;

beforeAll(async () => {
  const { controller } = opened;
  for (const name of ['ada', 'bob']) await createPerson(name, [`of ${name}`]);
  const service = { name: 'wiki', encryptionRequired: true, roleAttributes: ['pages'] };
  await controller.create('services', service);
  policyId = await controller.create('service-policies', {
    name: 'readers',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#of ada'],
    serviceRoles: ['#pages'],
  });
});

const createPerson = (name: string, roleAttributes: readonly string[] = []) =>
  opened.controller.create('identities', { name, type: 'Default', isAdmin: false, roleAttributes });
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const region = (name: string) => opened.page.getByRole('region', { name });
const roles = async (): Promise<unknown> => {
  const { body } = await opened.controller.rest('GET', `/service-policies/${policyId}`);
  return (body.data as { identityRoles: unknown }).identityRoles;
};
const movePolicy = async (changed: object): Promise<void> => {
  await opened.controller.rest('PATCH', `/service-policies/${policyId}`, changed);
};

/** Somebody who changes policies without reading them. */
async function logInAsClerk(): Promise<{ readonly id: string }> {
  const { controller, page } = opened;
  const permissions = ['identity.read', 'service-policy.update'];
  const clerk = { name: 'clerk', type: 'Default', isAdmin: false, permissions };
  const id = await controller.create('identities', clerk);
  const password = 'a password of the clerk';
  const login = { method: 'updb', identityId: id, username: 'clerk', password };
  await controller.create('authenticators', login);
  await button('Log out').click();
  await page.getByLabel('Name').fill('clerk');
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await button('Log in').click();
  await page.getByRole('link', { name: 'clerk' }).waitFor();
  return { id };
}

inBrowser('a draft', () => {
  test('collects changes, and shows what they would do', async () => {
    await opened.enter();
    await opened.open(`/edit/servicePolicies/${policyId}`);
    const field = opened.page.getByLabel('Identity roles').first();
    await field.press('Backspace');
    await field.fill('#of bob');
    await field.press('Enter');
    await button('Add to the draft').click();
    await region('Access that begins')
      .getByRole('row', { name: /bob\s+wiki\s+Dial/ })
      .waitFor();
    await region('Access that ends')
      .getByRole('row', { name: /ada\s+wiki\s+Dial/ })
      .waitFor();
    expect(await roles()).toEqual(['#of ada']);
    await opened.page.getByRole('link', { name: 'Draft 1 change' }).waitFor();
  });

  test('stays over a reload, and goes to a colleague as a link', async () => {
    await opened.page.reload();
    await region('Update readers').waitFor();
    const stored = await opened.page.evaluate<string>("sessionStorage.getItem('overgraph.draft')");
    await button('Empty the draft').click();
    await opened.page.getByText('The draft is empty.').waitFor();
    await opened.openDraft(JSON.parse(stored));
    await region('Update readers').waitFor();
    expect(opened.page.url()).toMatch(/\/draft$/);
  });

  longTest('takes nothing but changes from a link', async () => {
    const broken = [
      { operation: 'delete', type: 'Service', name: 'wiki', id: 5 },
      { operation: 'update', type: 'Service', name: 'wiki', id: 'x', input: null },
      { operation: 'drop', type: 'Service', name: 'wiki' },
      { operation: 'update', type: 'constructor', name: 'wiki', id: 'x', input: {} },
      null,
    ];
    for (const link of [Buffer.from(JSON.stringify(broken)).toString('base64'), 'e30=', '%%']) {
      await opened.page.goto('about:blank');
      await opened.open(`/draft#${link}`);
      await opened.page.getByRole('alert').getByText('The link could not be read.').waitFor();
      await region('Update readers').waitFor();
      await expect(opened.page.getByRole('button', { name: 'Remove' }).count()).resolves.toBe(1);
      expect(opened.page.url()).toMatch(/\/draft$/);
    }
    const sound = { operation: 'delete', type: 'ServicePolicy', name: 'readers', id: policyId };
    await opened.openDraft([...broken, sound]);
    await opened.page.getByText('5 of the 6 changes of the link could not be read.').waitFor();
    await region('Delete readers').waitFor();
    await button('Remove the change of readers').click();
    const input = { identityRoles: ['#of bob'] };
    await opened.openDraft([{ ...sound, operation: 'update', input, revision: 1 }]);
    await region('Update readers').waitFor();
  });

  longTest('names the entities of its changes', async () => {
    const { controller, page } = opened;
    const id = await createPerson('#eve');
    const input = {
      name: 'of eve',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${id}`, '@nobody', '#of ada'],
    };
    await opened.openDraft([{ operation: 'create', type: 'ServicePolicy', name: 'of eve', input }]);
    await region('Create of eve')
      .getByRole('row', {
        name: 'Identity roles @#eve @nobody (it does not exist) #of ada',
        exact: true,
      })
      .waitFor();
    await page.getByRole('alert').getByText('of eve, identity roles: no identity').waitFor();
    await controller.rest('DELETE', `/identities/${id}`);
    await region('Create of eve').getByText(`@${id} (it does not exist)`).waitFor();
    await button('Remove the change of of eve').click();
    await page.getByText('of eve').waitFor({ state: 'detached' });
  });

  test('says at once that its base has moved, and goes on from the present state', async () => {
    const change = region('Update readers');
    // After the first reading, and before the page follows the network.
    await opened.whileHeld(
      'NewChanges',
      async () => {
        await opened.page.reload();
      },
      async () => {
        await region('Access that begins').getByRole('row', { name: /bob/ }).waitFor();
        await movePolicy({ identityRoles: ['#of ada', '#of carl'] });
        await settledChangeOf(opened.controller);
      },
    );
    await change.getByText('Somebody has changed it since').waitFor();
    await expect(button('Make this change').isDisabled()).resolves.toBe(true);
    await change.getByRole('link', { name: 'What changed meanwhile' }).click();
    await opened.page.getByText('1 entry').waitFor();
    await opened.page.goBack();
    await change
      .getByRole('row', { name: /^Identity roles\s+#of ada\s*#of carl\s+#of bob$/ })
      .waitFor();
    await button('Take over onto the present state').click();
    await change.getByText('Somebody has changed it since').waitFor({ state: 'detached' });
    await expect(button('Make this change').isEnabled()).resolves.toBe(true);
  });

  test('is refused as a whole when its base moves while it is sent', async () => {
    await opened.whileHeld(
      'ApplyDraft',
      () => button('Make this change').click(),
      () => movePolicy({ identityRoles: ['#of ada'] }),
    );
    await opened.page.getByText('Nothing is made.').waitFor();
    expect(await roles()).toEqual(['#of ada']);
    await region('Update readers').getByText('Somebody has changed it since').waitFor();
    await button('Remove the change of readers').click();
    await opened.page.getByText('The draft is empty.').waitFor();
  });

  longTest('says at once that an entity is deleted', async () => {
    const { controller } = opened;
    const id = await controller.create('services', { name: 'chat', encryptionRequired: true });
    await opened.openDraft([
      { operation: 'delete', type: 'Service', name: 'chat', id, revision: 1 },
    ]);
    await region('Delete chat').waitFor();
    await controller.rest('DELETE', `/services/${id}`);
    await region('Delete chat').getByText('Somebody has deleted it').waitFor();
    await button('Empty the draft').click();
  });

  test('is made with its reason', async () => {
    await opened.open(`/edit/servicePolicies/${policyId}`);
    const field = opened.page.getByLabel('Identity roles').first();
    await field.fill('#of bob');
    await field.press('Enter');
    await button('Add to the draft').click();
    await opened.page.getByRole('textbox', { name: 'Reason' }).fill('bob reads, too');
    await button('Make this change').click();
    await opened.page.getByText('The change is made.').waitFor();
    expect(await roles()).toEqual(['#of ada', '#of bob']);
  });

  test('undoes a change of the log', async () => {
    await settledChangeOf(opened.controller);
    await opened.open('/changes');
    const row = opened.page.getByRole('row', { name: /readers\s+bob reads, too/ });
    await row.getByRole('button').click();
    await button('Undo as a draft').click();
    await region('Access that ends')
      .getByRole('row', { name: /bob\s+wiki\s+Dial/ })
      .waitFor();
    await button('Make this change').click();
    await opened.page.getByText('The change is made.').waitFor();
    expect(await roles()).toEqual(['#of ada']);
  });

  longTest('tells what does not come back exactly when a change is undone', async () => {
    await movePolicy({ identityRoles: ['#of ada', '#of bob'] });
    await movePolicy({ identityRoles: ['#of ada', '#of carl'] });
    await settledChangeOf(opened.controller);
    await opened.open('/changes');
    const changes = opened.page.getByRole('row', { name: /Update\s+Service policy\s+readers/ });
    await changes.nth(1).getByRole('button').click();
    const dialog = opened.page.getByRole('dialog', { name: 'Change' });
    await dialog.getByRole('row', { name: /#of bob/ }).waitFor();
    await button('Undo as a draft').click();
    await dialog
      .getByRole('status')
      .getByText(/since.*: identityRoles/)
      .waitFor();
    await dialog.getByRole('link', { name: 'Go to the draft' }).click();
    await region('Update readers').waitFor();
    await button('Make this change').click();
    await opened.page.getByText('The change is made.').waitFor();
    expect(await roles()).toEqual(['#of ada']);
  });

  test('becomes an import file, and an import file becomes the same draft', async () => {
    const input = { identityRoles: ['#of ada', '#of bob'] };
    const mail = { name: 'mail', encryptionRequired: true, roleAttributes: ['pages'] };
    await opened.openDraft([
      { operation: 'update', type: 'ServicePolicy', name: 'readers', id: policyId, input },
      { operation: 'create', type: 'Service', name: 'mail', input: mail },
    ]);
    const gained = region('Access that begins');
    await gained.getByRole('row', { name: /bob\s+wiki\s+Dial/ }).waitFor();
    const pairs = (await gained.getByRole('row').allTextContents()).sort();
    const file = await opened.saved(() => button('Download as an import file').click());
    await button('Empty the draft').click();
    await opened.openFile('draft.json', file);
    await opened.page.getByText('draft.json makes 2 changes.').waitFor();
    await gained.getByRole('row', { name: /bob\s+wiki\s+Dial/ }).waitFor();
    expect((await gained.getByRole('row').allTextContents()).sort()).toEqual(pairs);
    await button('Make these 2 changes').click();
    await opened.page.getByText('All 2 changes are made.').waitFor();
    expect(await roles()).toEqual(['#of ada', '#of bob']);
    await opened.openFile('draft.json', file);
    await opened.page.getByText('The network is already as draft.json says.').waitFor();
    await expect(opened.page.getByText('All 2 changes are made.').count()).resolves.toBe(0);
  });

  longTest('is made once by a double click', async () => {
    const input = { name: 'twice', encryptionRequired: true };
    await opened.openDraft([{ operation: 'create', type: 'Service', name: 'twice', input }]);
    await region('Create twice').waitFor();
    await region('Findings').getByText('Nobody may dial the service “twice”.').waitFor();
    let sent = 0;
    opened.page.on('request', (request) => {
      if (request.postData()?.includes('ApplyDraft')) sent += 1;
    });
    await button('Make this change').dblclick();
    await opened.page.getByText('The change is made.').waitFor();
    expect(sent).toBe(1);
  });

  test('is not simulated while it is made', async () => {
    const { page } = opened;
    const input = { name: 'overtaken', encryptionRequired: true };
    await page.addInitScript(`
      const send = window.fetch;
      window.fetch = (address, options) => {
        if (String(options?.body).includes('query Simulate')) {
          options.signal.addEventListener('abort', () => console.info('the simulation is given up'));
        }
        return send(address, options);
      };
    `);
    await page.reload();
    const isGivenUp = page.waitForEvent('console', (message) =>
      message.text().includes('the simulation is given up'),
    );
    await opened.whileHeld(
      'query Simulate',
      () => opened.openDraft([{ operation: 'create', type: 'Service', name: 'overtaken', input }]),
      () =>
        opened.whileHeld(
          'ApplyDraft',
          () => button('Make this change').click(),
          async () => {
            await isGivenUp;
          },
        ),
    );
    await page.getByText('The change is made.').waitFor();
  });

  longTest('is copied as a link while it fits into one', async () => {
    await opened.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await opened.openDraft([
      { operation: 'delete', type: 'ServicePolicy', name: 'readers', id: policyId },
    ]);
    await button('Copy a link to this draft').click();
    await opened.page.getByText('The link is copied.').waitFor();
    const copied = await opened.page.evaluate<string>('navigator.clipboard.readText()');
    await button('Empty the draft').click();
    await opened.page.goto(copied);
    await button('Remove the change of readers').click();
    const tags = { note: 'x'.repeat(500) };
    const services = Array.from({ length: 60 }, (_, i) => ({ name: `s${String(i)}`, tags }));
    const content = services.map((each) => ({ ...each, encryptionRequired: true }));
    await opened.openFile('many.json', JSON.stringify({ services: content }));
    await opened.page.getByText('The draft is too large for a link.').waitFor();
    await expect(button('Copy a link to this draft').count()).resolves.toBe(0);
    await button('Empty the draft').click();
  });

  longTest('says what its reader may neither see nor make', async () => {
    await opened.openDraft([
      { operation: 'delete', type: 'ServicePolicy', name: 'readers', id: policyId },
    ]);
    await region('Delete readers').waitFor();
    const { id } = await logInAsClerk();
    await opened.page.getByText('The draft is empty.').waitFor();
    const input = { tags: { seen: true } };
    const policy = { type: 'ServicePolicy', name: 'readers', id: policyId };
    await opened.openDraft([{ operation: 'update', ...policy, input, revision: 1 }]);
    await region('Update readers').getByText('You may not read it.').waitFor();
    await opened.page.getByText('the page can not show what the draft would do').waitFor();
    await button('Make this change').waitFor();
    await opened.openDraft([{ operation: 'delete', type: 'Identity', name: 'clerk', id }]);
    await opened.page.getByText('You may not make the changes of “clerk”.').waitFor();
    await expect(button('Make these 2 changes').count()).resolves.toBe(0);
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
