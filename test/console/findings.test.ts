import { beforeAll, expect, test } from '@jest/globals';
import { settledChangeOf } from '../support/settled-change.js';
import { inBrowser, longTest, useConsole } from './support/console-in-browser.js';

/** The findings of a network in a browser. */

const opened = useConsole();

beforeAll(async () => {
  const { controller } = opened;
  const input = { name: 'payroll', encryptionRequired: true };
  await controller.graphql(
    'mutation ($changes: [ModelChangeInput!]!) { applyChanges(changes: $changes) { entityId } }',
    // An id may be as short as a word of a sentence.
    { changes: [{ operation: 'create', type: 'service', id: 'x', input }] },
  );
  await controller.create('service-policies', {
    name: 'auditors read',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#auditors'],
    serviceRoles: ['#finance'],
  });
});

const table = () => opened.page.getByRole('table', { name: 'Findings' });
const rows = (name: RegExp) => table().getByRole('row', { name });
const dialog = () => opened.page.getByRole('dialog', { name: 'Finding' });

const NOBODY_DIALS = 'Nobody may dial the service “payroll”.';

interface Answer {
  readonly findings: {
    readonly nodes: readonly {
      readonly kind: string;
      readonly mute: { readonly reason: string; readonly mutedUntil: string | null } | null;
    }[];
  };
}

async function muteOfPayroll() {
  const query = `{ findings(kinds: [SERVICE_NOBODY_DIALS], includeMuted: true) { nodes { kind mute { reason mutedUntil } } } }`;
  const { data } = await opened.controller.graphql(query);
  return (data as Answer).findings.nodes[0]?.mute;
}

inBrowser('the page of findings', () => {
  test('is reached from the counts of the overview, by severity', async () => {
    await opened.enter();
    const [request] = await Promise.all([
      opened.page.waitForRequest((sent) => sent.postData()?.includes('FindingRows') === true),
      opened.page.getByRole('link', { name: /^\d+ medium$/ }).click(),
    ]);
    expect(request.postDataJSON()).toMatchObject({ variables: { severities: ['MEDIUM'] } });
    await rows(/payroll/)
      .first()
      .waitFor();
    expect(new Set(await table().locator('.tag').allInnerTexts())).toEqual(new Set(['Medium']));
    await opened.page.getByRole('checkbox', { name: 'High' }).check();
    await rows(/administrator without a second factor/).waitFor();
  });

  test('shows the kinds that are chosen', async () => {
    await opened.page.getByRole('combobox', { name: 'Kinds' }).fill('nobody d');
    await opened.page.getByRole('option', { name: 'Service nobody dials' }).click();
    await opened.page.getByText('1 entry').waitFor();
    await expect(rows(/payroll/).innerText()).resolves.toContain(NOBODY_DIALS);
    expect(decodeURIComponent(opened.page.url())).toContain('kinds=["SERVICE_NOBODY_DIALS"]');
  });

  test('mutes a finding with a reason and an end', async () => {
    await opened.page.keyboard.press('Escape');
    await opened.page.getByRole('button', { name: NOBODY_DIALS }).click();
    await dialog().getByLabel('Reason').fill('opens in spring');
    await dialog().getByLabel('Until').fill('2999-03-01T00:00:00');
    await dialog().getByRole('button', { name: 'Mute this finding' }).click();
    await opened.page.getByText('0 entries').waitFor();
    const mute = await muteOfPayroll();
    expect(mute?.reason).toBe('opens in spring');
    expect(mute?.mutedUntil).toMatch(/^2999-0[23]-/);
  });

  test('shows muted findings where they are wanted, and ends a mute', async () => {
    await opened.page.getByRole('checkbox', { name: 'Also muted ones' }).check();
    await expect(rows(/payroll/).innerText()).resolves.toMatch(/\bmuted\b/);
    await opened.page.getByRole('button', { name: NOBODY_DIALS }).click();
    await dialog().getByText('opens in spring').waitFor();
    await dialog().getByRole('button', { name: 'End the mute' }).click();
    await dialog().getByRole('button', { name: 'Mute this finding' }).waitFor();
    await expect(muteOfPayroll()).resolves.toBeNull();
  });

  test('shows what resolves a finding, and its effect on access', async () => {
    await opened.open('/findings?kinds=["POLICY_GRANTS_NOTHING"]');
    await opened.page.getByRole('button', { name: /auditors read/ }).click();
    const proposed = dialog().getByRole('region', { name: 'What resolves it' });
    await proposed.getByText('No access changes.').waitFor();
    await expect(proposed.innerText()).resolves.toContain('Delete service policy auditors read');
  });

  longTest('opens a finding by its address', async () => {
    await opened.page.reload();
    await dialog().getByRole('link', { name: 'auditors read' }).first().click();
    await opened.page
      .getByRole('heading', { name: 'auditors read', level: 1, exact: true })
      .waitFor();
  });

  test('drafts what resolves a finding', async () => {
    await opened.open('/findings?kinds=["POLICY_GRANTS_NOTHING"]');
    await opened.page.getByRole('button', { name: /auditors read/ }).click();
    await dialog().getByRole('button', { name: 'Add to the draft' }).click();
    await opened.page.getByRole('region', { name: 'Delete auditors read' }).waitFor();
    await opened.page.getByRole('button', { name: 'Make this change' }).click();
    await opened.page.getByText('The change is made.').waitFor();
  });
});

inBrowser('access rules', () => {
  const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
  const refusal = (words: string) =>
    opened.page.getByRole('alert').getByText(words, { exact: false });
  const reason = () => opened.page.getByLabel('Reason to violate the access rules');
  const choose = async (field: string, option: string): Promise<void> => {
    await opened.page.getByRole('combobox', { name: field, exact: true }).click();
    await opened.page.getByRole('option', { name: option, exact: true }).click();
  };
  const addRole = async (field: string, role: string): Promise<void> => {
    const list = opened.page.getByLabel(field).first();
    await list.fill(role);
    await list.press('Enter');
  };
  const fillRule = async (name: string, kind: string): Promise<void> => {
    await opened.open('/create/accessRules');
    await opened.page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await choose('Kind', kind);
    await choose('Type', 'Dial');
    await choose('Semantic', 'Any of');
    await addRole('Identity roles', '#interns');
    await addRole('Service roles', '@vault');
  };
  const reasonsOf = async (entity: string): Promise<unknown> => {
    await settledChangeOf(opened.controller);
    const filter = `entityName = "${entity}" sort by id desc limit 1`;
    const { data } = await opened.controller.graphql(
      'query ($filter: String) { changes(filter: $filter) { nodes { operation reason } } }',
      { filter },
    );
    return (data as { changes: { nodes: unknown } }).changes.nodes;
  };
  let policyId: string;

  beforeAll(async () => {
    const { controller } = opened;
    await controller.create('identities', {
      name: '“ivy” <b>',
      type: 'Default',
      isAdmin: false,
      roleAttributes: ['interns'],
    });
    await controller.create('services', { name: 'vault', encryptionRequired: true });
    policyId = await controller.create('service-policies', {
      name: 'nobody yet',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [],
      serviceRoles: ['#all'],
    });
  });

  test('is refused when it does not hold, and made with a reason by an administrator', async () => {
    await fillRule('interns read', 'Must reach');
    await button('Save').click();
    await refusal('identity "“ivy” <b>" would not dial service "vault"').waitFor();
    await expect(button('Make it against the access rules').isDisabled()).resolves.toBe(true);
    await reason().fill('erst nach der „Prüfung“ 🔑');
    await addRole('Service roles', '#secret');
    // The reason is about what was refused.
    await reason().waitFor({ state: 'detached' });
    await button('Save').click();
    await reason().press('Enter');
    await opened.page
      .getByRole('heading', { name: 'interns read', level: 1, exact: true })
      .waitFor();
    expect(await reasonsOf('interns read')).toEqual([
      { operation: 'create', reason: 'erst nach der „Prüfung“ 🔑' },
    ]);
  });

  test('shows the pairs that violate it, as they come and go', async () => {
    const { page, controller } = opened;
    await page.getByRole('tab', { name: 'Violations' }).click();
    const violations = page.getByRole('table', { name: 'Violations' });
    await violations
      .getByRole('row', { name: '“ivy” <b> vault Dial – Why', exact: true })
      .waitFor();
    const given = { identityRoles: ['#interns'] };
    await controller.rest('PATCH', `/service-policies/${policyId}`, given);
    await page.getByText('0 entries').waitFor();
    await page.getByRole('link', { name: 'Access rules' }).first().click();
    const row = page.getByRole('row', { name: /^\W*interns read\s+Must reach\s+Dial\s+yes/ });
    await row.waitFor();
  });

  longTest('refuses an edit, a deletion and a draft in words', async () => {
    const { page } = opened;
    const words =
      'The access rule “interns read” refuses this: ““ivy” <b>” must be able to dial “vault”.';
    await opened.open(`/edit/servicePolicies/${policyId}`);
    await page.getByLabel('Identity roles').first().press('Backspace');
    await button('Save').click();
    await refusal('access rule "interns read": identity "“ivy” <b>" would not dial').waitFor();
    await button('Add to the draft').click();
    await page.getByText(words).waitFor();
    await button('Make this change').click();
    await refusal('would not dial').waitFor();
    await expect(button('Make it against the access rules').isDisabled()).resolves.toBe(true);
    await button('Empty the draft').click();
    await opened.open(`/entities/servicePolicies/${policyId}`);
    await button('Delete').click();
    await page.getByRole('dialog').getByText(words).waitFor();
    await button('Delete now').click();
    await refusal('would not dial').waitFor();
    await reason().waitFor();
    // The answer of the controller takes the place of the forecast.
    await expect(page.getByRole('dialog').getByText(words).count()).resolves.toBe(0);
  });

  longTest('is violated by a draft with a reason, which stands in the change log', async () => {
    const { page } = opened;
    await button('Add to the draft').click();
    await page.getByRole('region', { name: 'Delete nobody yet' }).waitFor();
    await page.getByRole('textbox', { name: 'Reason' }).fill('the audit of May');
    await button('Make this change').click();
    await button('Make it against the access rules').click();
    await page.getByText('The change is made.').waitFor();
    expect(await reasonsOf('nobody yet')).toEqual([
      { operation: 'delete', reason: 'the audit of May' },
    ]);
  });
});

inBrowser('the browser', () => {
  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
