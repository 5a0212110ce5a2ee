import { beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { inBrowser, longTest, useConsole } from './support/console-in-browser.js';

/** The map of the console in a browser: its tables, its picture, its files, its address. */

const opened = useConsole();
let beforeNetwork: string;

beforeAll(async () => {
  beforeNetwork = new Date().toISOString();
  await createNetwork();
});

/** Of the network, by name. */
const ids = new Map<string, string>();

/** Three identities dial two services that a fourth one hosts; a policy without identities. */
async function createNetwork(): Promise<void> {
  const { controller } = opened;
  const identity = async (name: string, role: string): Promise<void> => {
    const input = { name, type: 'Default', isAdmin: false, roleAttributes: [role] };
    ids.set(name, await controller.create('identities', input));
  };
  for (const name of ['ann', 'ben', 'cid']) await identity(name, 'sales');
  await identity('pump', 'hosts');
  for (const name of ['mail', 'wiki']) {
    const input = { name, encryptionRequired: true, roleAttributes: ['office'] };
    ids.set(name, await controller.create('services', input));
  }
  await controller.create('edge-routers', { name: 'hall' });
  await controller.create('posture-checks', {
    name: 'office domain',
    typeId: 'DOMAIN',
    domains: ['example.com'],
    roleAttributes: ['strict'],
  });
  const policy = async (name: string, type: string, identityRole: string): Promise<void> => {
    const [identityRoles, serviceRoles] = [[identityRole], ['#office']];
    const postureCheckRoles = type === 'Bind' ? ['#strict'] : [];
    const sides = { identityRoles, serviceRoles, postureCheckRoles };
    const input = { name, type, semantic: 'AnyOf', ...sides };
    ids.set(name, await controller.create('service-policies', input));
  };
  await policy('sales read', 'Dial', '#sales');
  await policy('pump hosts', 'Bind', '#hosts');
  await policy('nobody "reads", yet', 'Dial', '#none');
  await controller.create('edge-router-policies', {
    name: 'by the hall',
    semantic: 'AnyOf',
    identityRoles: ['#sales', '#hosts'],
    edgeRouterRoles: ['#all'],
  });
  await controller.create('service-edge-router-policies', {
    name: 'office by the hall',
    semantic: 'AnyOf',
    serviceRoles: ['#office'],
    edgeRouterRoles: ['#all'],
  });
}

interface MapAnswer {
  readonly accessMap: {
    readonly nodes: readonly { key: string; count: number; sampleNames: readonly string[] }[];
    readonly edges: readonly unknown[];
  };
}

async function readMap(): Promise<MapAnswer['accessMap']> {
  const { data } = await opened.controller.graphql(
    '{ accessMap { nodes { key count sampleNames } edges { classKey } } }',
  );
  return (data as MapAnswer).accessMap;
}

const labelOf = ({
  count,
  sampleNames: [first = ''],
}: {
  count: number;
  sampleNames: readonly string[];
}) => (count > 1 ? `${first} + ${String(count - 1)}` : first);

const table = (name: string): Locator => opened.page.getByRole('table', { name });
const row = (text: string): Locator =>
  table('Classes and policies').getByRole('row').filter({ hasText: text });
const region = (name: string): Locator => opened.page.getByRole('region', { name });
const panel = (name: string): Locator => opened.page.getByRole('region', { name, exact: true });

const save = (item: string): Promise<Buffer> =>
  opened.saved(async () => {
    await opened.page.getByRole('button', { name: 'Save' }).click();
    await opened.page.getByRole('menuitem', { name: item }).click();
  });

const drawingFiles = (): readonly string[] =>
  opened.files.filter((address) => address.includes('/assets/draw-'));

/** The picture as a file, once it has a node with this label. */
async function picture(label: string): Promise<string> {
  const { value } = await eventually(async () => {
    const svg = (await save('Picture (SVG)')).toString();
    expect(svg).toContain(`<title>${label}</title>`);
    return svg;
  });
  return value;
}

/** The places of the nodes of a picture by their labels. */
const placesOf = (svg: string): ReadonlyMap<string, string> =>
  new Map(
    [...svg.matchAll(/<title>([^<]*)<\/title><\w+ c?x="(\S+)" c?y="(\S+)"/g)].map(
      ([, label = '', x = '', y = '']) => [label, `${x} ${y}`],
    ),
  );

/** Waits until the picture shows these nodes clearly, and the rest pale. */
async function litLabels(labels: readonly string[]): Promise<void> {
  await opened.page.getByRole('tab', { name: 'Picture' }).click();
  await eventually(async () => {
    const svg = (await save('Picture (SVG)')).toString();
    const shown = [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, label]) => label);
    expect(shown.sort()).toEqual(labels);
  });
}

/** The cells of a node of the saved map by their heads. */
async function savedNode(names: string): Promise<Record<string, string>> {
  const [heads = '', ...lines] = linesOf(await save('Classes and policies (CSV)'));
  const cells = lines.find((line) => line.endsWith(`,${names}`))?.split(',') ?? [];
  return Object.fromEntries(heads.split(',').map((head, i) => [head, cells[i] ?? '']));
}

const linesOf = (csv: Buffer): string[] => csv.toString().trim().split('\r\n');

inBrowser('the map', () => {
  beforeAll(() => opened.enter());

  test('lists the classes and policies with their exact numbers', async () => {
    await opened.open('/map?view=nodes');
    await row('sales read').waitFor();
    const { nodes } = await readMap();
    for (const node of nodes) {
      const cells = row(labelOf(node)).first().getByRole('cell');
      await expect(cells.nth(2).innerText()).resolves.toBe(String(node.count));
    }
    await expect(row('ann + 2').innerText()).resolves.toMatch(/Identity\s+3\b/);
    await expect(row('sales read').innerText()).resolves.toMatch(/3 identities, 2 services/);
    await expect(row('nobody').innerText()).resolves.toMatch(/selects nothing/);
  });

  test('shows the members of a selected class and its connections in words', async () => {
    await row('ann + 2').getByRole('button').press('Enter');
    const members = panel('ann + 2').getByRole('table', { name: 'Members' });
    for (const name of ['ann', 'ben', 'cid']) {
      await members.getByRole('link', { name, exact: true }).waitFor();
    }
    const joined = panel('ann + 2').getByRole('list', { name: 'Connections' });
    const words = (await joined.innerText()).replaceAll(/\s+/g, ' ');
    expect(words).toContain('sales read selects all 3, to dial 2 services');
    expect(words).toContain('by the hall selects all 3, together with 1 edge router');
  });

  test('keeps the view over a reload', async () => {
    await opened.page.reload();
    await panel('ann + 2').getByRole('link', { name: 'ben', exact: true }).waitFor();
    await row('ann + 2').waitFor();
    expect(new URL(opened.page.url()).searchParams.get('view')).toBe('nodes');
  });

  test('saves all nodes and connections as CSV', async () => {
    const { nodes, edges } = await readMap();
    const nodeLines = linesOf(await save('Classes and policies (CSV)'));
    expect(nodeLines).toHaveLength(nodes.length + 1);
    expect(nodeLines.some((line) => line.endsWith('ann; ben; cid'))).toBe(true);
    expect(nodeLines.some((line) => line.endsWith('"nobody ""reads"", yet"'))).toBe(true);
    expect(linesOf(await save('Connections (CSV)'))).toHaveLength(edges.length + 1);
  });

  test('draws the map, and saves it as it is drawn', async () => {
    // Other pages and the tables do not load the libraries of the picture.
    expect(drawingFiles()).toEqual([]);
    await opened.page.getByRole('tab', { name: 'Picture' }).click();
    const canvas = opened.page.getByRole('application', { name: /^Picture of the network/ });
    await canvas.and(opened.page.locator('[aria-busy=false]')).waitFor();
    expect(drawingFiles()).toHaveLength(1);
    const svg = (await save('Picture (SVG)')).toString();
    const { nodes } = await readMap();
    expect(svg.match(/<(circle|rect) (?!width="100%")/g)).toHaveLength(nodes.length);
    expect(svg).toContain('<title>nobody &quot;reads&quot;, yet</title>');
    const png = await save('Picture (PNG)');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
  });

  test('selects the node that is clicked in the picture', async () => {
    const canvas = opened.page.getByRole('application');
    const box = await canvas.boundingBox();
    if (!box) throw new Error('the picture has no place');
    // The second lane has the service policies; these are below each other at equal distances.
    const { width, height } = box;
    const x = 24 + (width - 48 - 110) / 4;
    const names = ['sales read', 'pump hosts', 'nobody "reads", yet'];
    const titles: string[] = [];
    await opened.page.getByRole('button', { name: 'Close' }).click();
    for (const part of [1 / 6, 3 / 6, 5 / 6]) {
      await canvas.click({ position: { x, y: 24 + (height - 48) * part } });
      const heading = opened.page.locator('.map-panel').getByRole('heading', { level: 2 });
      await heading.filter({ hasNotText: /^Node$/ }).waitFor();
      titles.push(await heading.innerText());
      await opened.page.getByRole('button', { name: 'Close' }).click();
    }
    expect(titles.sort()).toEqual(names.sort());
  });

  test('lights every path between an identity and a service', async () => {
    await opened.open('/map?view=nodes');
    await row('ann + 2').getByRole('button').click();
    await panel('ann + 2')
      .getByRole('button', { name: 'Choose ben as an end of paths' })
      .press('Enter');
    await opened.page.getByText('Click a class of services').waitFor();
    await row('mail + 1').getByRole('button').press('Enter');
    const answer = panel('Paths between both').getByRole('status', { name: 'Answer' });
    await expect(answer.getByRole('heading').innerText()).resolves.toMatch(
      /^ben may dial (mail|wiki), but can not now\.$/,
    );
    await panel('Paths between both').getByText('By 1 policy: sales read').waitFor();
    await panel('Paths between both').getByText('that both may use: hall').waitFor();
    expect(new URL(opened.page.url()).searchParams.get('identity')).toBe(ids.get('ben'));
    await litLabels([
      'ann + 2',
      'by the hall',
      'hall',
      'mail + 1',
      'office by the hall',
      'sales read',
    ]);
  });

  test('says what is missing where there is no path, by its address', async () => {
    const [pump = '', mail = ''] = [ids.get('pump'), ids.get('mail')];
    await opened.open(`/map?identity=${pump}&service=${mail}`);
    await panel('Paths between both').getByText('pump may not dial mail.').waitFor();
    const misses = panel('Nearest policies that do not grant it').getByRole('listitem');
    await misses.filter({ hasText: 'sales read' }).getByText('Give “pump” #sales.').waitFor();
    await litLabels(['by the hall', 'hall', 'mail + 1', 'office by the hall', 'pump']);
    await opened.page.getByRole('radiogroup', { name: 'Access' }).getByText('Host').click();
    await panel('Paths between both').getByText('pump may host mail').waitFor();
    await litLabels([
      'by the hall',
      'hall',
      'mail + 1',
      'office by the hall',
      'pump',
      'pump hosts',
    ]);
    await opened.page.getByRole('button', { name: 'Show no paths' }).click();
    await panel('Paths between both').waitFor({ state: 'detached' });
  });

  test('goes through time step by step, with nodes at their places', async () => {
    const step = (words: string) => region('Way through time').getByText(words).waitFor();
    await opened.open('/map?view=nodes');
    await opened.page.getByRole('checkbox', { name: 'Slider through time' }).check();
    await step('Create service edge router policy “office by the hall”. This is the present.');
    await opened.page.getByRole('button', { name: 'A step back' }).press('Enter');
    await step('Create edge router policy “by the hall”.');
    await row('office by the hall').waitFor({ state: 'detached' });
    await row('by the hall').waitFor();
    await opened.page.getByRole('tab', { name: 'Picture' }).click();
    const before = placesOf(await picture('sales read'));
    await opened.page.getByRole('button', { name: 'A step forward' }).press('Enter');
    const after = placesOf(await picture('+ office by the hall'));
    expect(before.size).toBeGreaterThan(5);
    for (const [label, place] of before) expect([label, after.get(label)]).toEqual([label, place]);
    const slider = opened.page.getByRole('slider', { name: 'Way through time' });
    await slider.press('Home');
    await step('Step 1 of');
    await opened.page.getByRole('tab', { name: 'Classes and policies' }).click();
    await row('sales read').waitFor({ state: 'detached' });
    await expect(slider.getAttribute('aria-valuetext')).resolves.toMatch(/: Create identity/);
  });

  longTest('plays how access grew, until the present', async () => {
    const slider = opened.page.getByRole('slider', { name: 'Way through time' });
    await slider.press('End');
    await slider.press('ArrowLeft');
    await row('office by the hall').waitFor({ state: 'detached' });
    await opened.page.getByRole('button', { name: 'Play how access grew' }).press('Enter');
    await opened.page.getByRole('button', { name: 'Pause' }).waitFor();
    await row('office by the hall').waitFor();
    await opened.page.getByRole('button', { name: 'Play how access grew' }).waitFor();
    expect(opened.page.url()).not.toContain('at=');
  });

  longTest('marks what the draft would give and take', async () => {
    const change = {
      operation: 'update',
      type: 'ServicePolicy',
      id: ids.get('sales read'),
      name: 'sales read',
      input: { identityRoles: ['#hosts'] },
    };
    await opened.openDraft([change]);
    await opened.page.getByRole('region', { name: 'Update sales read' }).waitFor();
    await opened.open('/map');
    await opened.page.getByRole('checkbox', { name: 'With the draft (1 change)' }).check();
    await opened.page
      .getByText('new with the draft: 1. Connections that are no longer there: 1.')
      .waitFor();
    await litLabels(['ann + 2', 'pump', 'sales read']);
    await opened.page.getByRole('tab', { name: 'Connections' }).click();
    const marked = table('Connections').getByRole('row').filter({ hasText: 'with the draft' });
    const words = (await marked.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')).sort();
    expect(words).toEqual([
      expect.stringMatching(/^ ?sales read Dial Identities ann \+ 2 .* no longer with the draft$/),
      expect.stringMatching(/^ ?sales read Dial Identities pump .* only with the draft$/),
    ]);
  });

  longTest('colours the nodes by posture checks and by who is online', async () => {
    await opened.open('/map?view=nodes&look=posture');
    await row('pump hosts').getByText('needs posture checks', { exact: true }).waitFor();
    await row('sales read').getByText('needs no posture checks').waitFor();
    await row('mail + 1').getByText('some policies need posture checks').waitFor();
    await opened.page.getByRole('radiogroup', { name: 'Colours' }).getByText('Online now').click();
    await row('ann + 2').getByText('0 of 3 online').waitFor();
    await row('hall').getByText('0 of 1 online').waitFor();
    await opened.page.getByRole('tab', { name: 'Picture' }).click();
    await opened.page
      .getByRole('list', { name: 'Kinds of nodes' })
      .getByText('none is online')
      .waitFor();
    await picture('ann + 2 (0/3)');
    expect(await savedNode('ann; ben; cid')).toMatchObject({ onlineCount: '0', judgedCount: '' });
  });

  longTest('shows where the posture checks of members fail now', async () => {
    const { controller } = opened;
    const login = { username: 'pump', password: 'p-pump-1234' };
    const identityId = ids.get('pump');
    await controller.create('authenticators', { method: 'updb', identityId, ...login });
    const token = await controller.login(login.username, login.password);
    const words = 'needs posture checks, which fail for 1 of 1 identity with a session';
    await opened.open('/map?view=nodes&look=posture');
    await row('pump hosts').getByText(words).waitFor();
    await row('sales read').getByText('needs no posture checks', { exact: true }).waitFor();
    await table('Classes and policies').getByRole('button', { name: 'pump', exact: true }).click();
    const members = panel('pump').getByRole('table', { name: 'Members' });
    await members.getByText('fails', { exact: true }).waitFor();
    await panel('pump').getByText(words).waitFor();
    await opened.page.getByRole('tab', { name: 'Picture' }).click();
    await opened.page
      .getByRole('list', { name: 'Kinds of nodes' })
      .getByText('posture checks fail now')
      .waitFor();
    await picture('pump hosts (1/1 fail)');
    const counts = { checkedCount: '1', judgedCount: '1', failingCount: '1', onlineCount: '' };
    expect(await savedNode('pump hosts')).toMatchObject(counts);
    await controller.graphql(
      'mutation { submitPosture(responses: [{ id: "x", typeId: "DOMAIN", domain: "example.com" }]) { services { serviceId } } }',
      {},
      { 'zt-session': token },
    );
    await opened.open('/map?view=nodes&look=posture');
    await row('pump hosts').getByText('which fail for 0 of 1').waitFor();
  });

  longTest(
    'finds a node by the name of a member, and says when the map leaves it out',
    async () => {
      await opened.open(`/map?services=${encodeURIComponent('name = "wiki"')}`);
      const find = opened.page.getByRole('combobox', { name: 'Find on the map' });
      await find.fill('CID');
      await opened.page.getByRole('option', { name: 'cid – identity' }).click();
      await panel('ann + 2').waitFor();
      await litLabels(['ann + 2', 'by the hall', 'hall', 'sales read', 'wiki']);
      await find.fill('mail');
      await opened.page.getByRole('option', { name: 'mail – service' }).click();
      await opened.page.getByText('“mail” is not on this map.').waitFor();
      await panel('ann + 2').waitFor();
    },
  );

  test('shows the part that is chosen: one kind of access, some services, the past', async () => {
    await opened.open('/map?view=nodes');
    await row('sales read').waitFor();
    await opened.page.getByRole('radiogroup', { name: 'Access' }).getByText('Host').click();
    await row('sales read').waitFor({ state: 'detached' });
    await row('pump hosts').waitFor();
    expect(opened.page.url()).toContain('lens=Bind');
    await opened.open('/map?view=nodes');
    await opened.page.getByLabel('Filter of services').first().waitFor();
    await opened.page.getByRole('combobox', { name: 'Filter of services' }).fill('wiki');
    await opened.page.keyboard.press('Enter');
    await row('mail + 1').waitFor({ state: 'detached' });
    await row('wiki').waitFor();
    await opened.open(`/map?view=nodes&at=${encodeURIComponent(beforeNetwork)}`);
    await row('admin').waitFor();
    await expect(row('sales read').count()).resolves.toBe(0);
  });

  longTest('says in words that a condition has a fault, and that nothing fits', async () => {
    await opened.open('/map?identities=there%20is%20no');
    await expect(opened.page.getByRole('alert').innerText()).resolves.toMatch(/Request \S+/);
    await opened.open('/map?identities=name%3D%22x%22&services=name%3D%22x%22');
    await opened.page.getByText('No identity and no service fits').waitFor();
  });

  longTest('shortens long names in the picture, and keeps them whole in titles', async () => {
    const name = `archive of ${'many '.repeat(40)}years`;
    await opened.controller.create('services', { name, encryptionRequired: true });
    await opened.open('/map');
    const svg = await picture(name);
    const [, width = ''] = /viewBox="0 0 (\S+) /.exec(svg) ?? [];
    const [, left = '', label = ''] = /<text x="(\S+)" [^>]*>(archive[^<]*)</.exec(svg) ?? [];
    expect(label).toMatch(/^archive of many .*….* years$/);
    // No letter of it is as wide as it is high.
    expect(Number(left) + label.length * 4).toBeLessThan(Number(width));
    expect(label.length).toBeLessThan(120);
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
