import { beforeAll, expect, test } from '@jest/globals';
import { inBrowser, useConsole } from '../support/console-in-browser.js';
import { SMALL_NETWORK } from '../support/small-network.js';

/** Import files that become a draft, and drafts that become an import file, in a browser. */

const opened = useConsole();
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
const region = (name: string) => opened.page.getByRole('region', { name });

inBrowser('a draft and an import file', () => {
  beforeAll(async () => {
    const { controller } = opened;
    await controller.create('identities', { name: 'ada', type: 'Default', isAdmin: false });
    await controller.create('services', { name: 'wiki', encryptionRequired: true });
    await opened.enter();
    await opened.open('/draft');
  });

  test('makes a network of a file at once: its routers, their identities, and its auth policies', async () => {
    await opened.openFile('network.json', JSON.stringify(SMALL_NETWORK));
    await opened.page.getByText('network.json makes 7 changes.').waitFor();
    await expect(opened.page.getByText('The draft does not hold').count()).resolves.toBe(0);
    await region('Access that begins')
      .getByRole('row', { name: /gate 1\s+pump\s+Bind/ })
      .waitFor();
    await expect(region('Create gates host pumps').innerText()).resolves.toContain('@gate 1');
    await expect(opened.page.getByText('it does not exist').count()).resolves.toBe(0);
    // The page of what the draft creates is not there yet.
    await expect(region('Create guest').getByRole('link', { name: 'guest' }).count()).resolves.toBe(
      0,
    );
    await button('Make these 7 changes').click();
    await opened.page.getByText('All 7 changes are made.').waitFor();
    const { data } = await opened.controller.graphql(
      '{ identities(filter: "name in [\\"guest\\", \\"gate 1\\"]", sort: "name") { nodes { name roleAttributes authPolicy { name } } } }',
    );
    expect(data).toMatchObject({
      identities: {
        nodes: [
          { name: 'gate 1', roleAttributes: ['gates'], authPolicy: { name: 'Default' } },
          { name: 'guest', roleAttributes: [], authPolicy: { name: 'by tokens' } },
        ],
      },
    });
  });

  test('says what an import file and a draft do not hold of each other', async () => {
    await opened.openFile(
      'network.yaml',
      'identities: [{ name: ada, disabled: true, tags: { at: sea } }]',
    );
    await opened.page.getByText('lists of changes do not disable').waitFor();
    await region('Update ada').getByText('sea').waitFor();
    const id = await opened.controller.create('services', {
      name: 'old',
      encryptionRequired: true,
    });
    await opened.openDraft([{ operation: 'delete', type: 'Service', name: 'old', id }]);
    await opened.saved(() => button('Download as an import file').click());
    await opened.page.getByText('old: an import deletes nothing').waitFor();
    await button('Empty the draft').click();
  });

  test('takes nothing from a file with a fault', async () => {
    await opened.openFile('faulty.yaml', 'services: [{ name: wiki }, { name: 5 }]');
    await opened.page.getByText('faulty.yaml has a fault.').waitFor();
    await opened.openFile('broken.yaml', 'services:\n  - name: wiki\n  - name: [');
    await opened.page
      .getByText('broken.yaml is neither JSON nor YAML in line 3, column 12: Flow sequence')
      .waitFor();
    await opened.openFile('broken.json', '{ "services": [\n{ ] }');
    await opened.page.getByText('broken.json is neither JSON nor YAML in line 2,').waitFor();
    await opened.openFile('empty.yaml', '');
    await opened.page.getByText('empty.yaml is empty.').waitFor();
    await opened.page.getByText('The draft is empty.').waitFor();
  });

  test('takes the file that is chosen last, and may stop reading', async () => {
    const { page } = opened;
    const open = (name: string) =>
      opened.openFile(
        `${name}.json`,
        JSON.stringify({ services: [{ name, encryptionRequired: true }] }),
      );
    const compares = (name: string) =>
      page.getByText(`The controller compares ${name}.json with the network.`);
    let letGo = (): void => undefined;
    const isGone = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(/\/graphql\/import$/, async (route) => {
      await isGone;
      // The page may have given it up.
      await route.continue().catch(() => undefined);
    });
    await open('first');
    await compares('first').waitFor();
    await button('Stop').click();
    await compares('first').waitFor({ state: 'detached' });
    await open('second');
    await compares('second').waitFor();
    await open('third');
    await compares('third').waitFor();
    letGo();
    await page.getByText('third.json makes one change.').waitFor();
    await region('Create third').waitFor();
    await expect(page.getByRole('button', { name: 'Remove' }).count()).resolves.toBe(1);
    await button('Empty the draft').click();
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
