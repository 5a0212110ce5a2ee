import { expect, test } from '@jest/globals';
import { inBrowser, useConsole } from './support/console-in-browser.js';

/** Forms of members that are lists of rules and of times, in a browser. */

const opened = useConsole();

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

inBrowser('the rules together', () => {
  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
