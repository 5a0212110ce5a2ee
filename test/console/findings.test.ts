import { beforeAll, expect, test } from '@jest/globals';
import { inBrowser, useConsole } from './support/console-in-browser.js';

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

  test('opens a finding by its address', async () => {
    await opened.page.reload();
    await dialog().getByRole('link', { name: 'auditors read' }).first().click();
    await opened.page.getByRole('heading', { name: 'auditors read', level: 1 }).waitFor();
  });

  test('drafts what resolves a finding', async () => {
    await opened.open('/findings?kinds=["POLICY_GRANTS_NOTHING"]');
    await opened.page.getByRole('button', { name: /auditors read/ }).click();
    await dialog().getByRole('button', { name: 'Add to the draft' }).click();
    await opened.page.getByRole('region', { name: 'Delete auditors read' }).waitFor();
    await opened.page.getByRole('button', { name: 'Make this change' }).click();
    await opened.page.getByText('The change is made.').waitFor();
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
