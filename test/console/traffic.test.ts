import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator, Request } from 'playwright-core';
import { CONTENT } from '../../src/network/control/content-types.js';
import { messages } from '../../src/network/messages/emitted/messages.js';
import { link, made, Traffic, type RoutingRouter } from '../network/control/traffic-network.js';
import { eventually } from '../support/eventually.js';
import { inBrowser, longTest, useConsole } from './support/console-in-browser.js';

/** Routers, links and circuits in a browser: a client at the first router, a host behind two links. */

const opened = useConsole();
let net: Traffic;
let near: RoutingRouter;
let middle: RoutingRouter;
let far: RoutingRouter;
let linkIds: readonly [string, string];
let circuitId: string;

beforeAll(async () => {
  net = await Traffic.at(opened.controller);
  await net.begin();
  near = net.router;
  [middle, far] = [await net.newRouter(), await net.newRouter()];
  linkIds = [await link(near, middle), await link(middle, far)];
  await net.bind(far);
  circuitId = await dial();
});
afterAll(() => net.end());

const dial = async (): Promise<string> => made(await near.dial(net.dial)).circuitId;

/** The router of the client reports what a circuit has carried. */
async function report(id: string, sent: number, received: number): Promise<void> {
  const values = { 'ingress.rx': sent };
  const intervalStartUTC = Math.floor(Date.now() / 3_600_000) * 3_600;
  near.router.tell(CONTENT.metrics, messages.MetricsMessage, {
    usageCounters: [{ intervalStartUTC, buckets: { [id]: { values } } }],
  });
  far.router.tell(CONTENT.metrics, messages.MetricsMessage, {
    usageCounters: [{ intervalStartUTC, buckets: { [id]: { values: { 'egress.rx': received } } } }],
  });
  await Promise.all([near, far].map(({ router }) => router.ask(CONTENT.ping)));
}

const nameOf = ({ enrolled: { name } }: RoutingRouter): string => name;
const tab = (name: string): Promise<void> =>
  opened.page.getByRole('tab', { name, exact: true }).click();
const row = (table: string, text: string | RegExp): Locator =>
  opened.page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });
const panel = (name: string): Locator => opened.page.getByRole('region', { name, exact: true });
const way = (within: Locator): Locator =>
  within.getByRole('list', { name: 'Path' }).getByRole('listitem');
const cells = async (of: Locator): Promise<string> =>
  (await of.getByRole('cell').allInnerTexts()).join(' | ');

/** The subscriptions that the page follows now, by their names. */
const followed = new Map<Request, string>();

function noteStreams(): void {
  opened.page.on('request', (request) => {
    if (!request.url().endsWith('/graphql/stream')) return;
    const { operationName } = request.postDataJSON() as { operationName: string };
    followed.set(request, operationName);
  });
  const forget = (request: Request): void => void followed.delete(request);
  opened.page.on('requestfailed', forget);
  opened.page.on('requestfinished', forget);
}

const expectToFollow = (...names: string[]): Promise<unknown> =>
  eventually(() => {
    expect([...followed.values()]).toEqual(names);
    return Promise.resolve();
  });

async function choose(label: string, name: string): Promise<void> {
  await opened.page.getByRole('combobox', { name: label, exact: true }).fill(name);
  await opened.page.getByRole('option', { name, exact: true }).click();
}

interface Letters {
  readonly text: string;
  readonly end: number;
  readonly width: number;
}

/** Texts as a page draws them into pictures, from its loading on. */
async function lettersOf(load: () => Promise<void>, wanted: RegExp): Promise<readonly Letters[]> {
  await opened.page.addInitScript(`
    window.letters = [];
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      const end = x + this.measureText(text).width;
      window.letters.push({ text, end, width: this.canvas.clientWidth });
      draw.call(this, text, x, y);
    };
  `);
  await load();
  const { value } = await eventually(async () => {
    const letters = await opened.page.evaluate<readonly Letters[]>('window.letters');
    const found = letters.filter(({ text }) => wanted.test(text));
    expect(found).not.toEqual([]);
    return found;
  });
  return value;
}

inBrowser('the page of routers and traffic', () => {
  test('shows routers and links as a picture, and the path between two routers', async () => {
    await report(circuitId, 1_500, 2_000_000);
    await opened.enter();
    noteStreams();
    await opened.page.keyboard.press('g');
    await opened.page.keyboard.press('n');
    const picture = opened.page.getByRole('application', {
      name: /^Picture of 3 routers and 2 links/,
    });
    await picture.and(opened.page.locator('[aria-busy=false]')).waitFor();
    await choose('From', nameOf(far));
    await choose('To', nameOf(near));
    const answer = panel('Path between two routers');
    await way(answer).nth(2).waitFor();
    await expect(way(answer).getByRole('link').allInnerTexts()).resolves.toEqual([
      nameOf(far),
      linkIds[1],
      nameOf(middle),
      linkIds[0],
      nameOf(near),
    ]);
    // Two links that nobody has measured, each 1 + 65000 + 65000, and two routers of at least 10.
    await expect(answer.innerText()).resolves.toMatch(/Cost\s+260,022/);
    await expectToFollow('NewRouterStatus');
  });

  test('lists routers with their links and circuits', async () => {
    await tab('Routers');
    await row('Routers', nameOf(middle)).waitFor();
    await expect(cells(row('Routers', nameOf(middle)))).resolves.toMatch(
      new RegExp(
        `^${nameOf(middle)} \\| online \\| .+ \\| 2 \\| 1 \\| router.example \\| v1.6.20 \\| 0 \\| no \\| no$`,
      ),
    );
  });

  test('asks before a link is made dearer', async () => {
    await row('Routers', nameOf(far)).getByRole('link').nth(1).click();
    await row('Links', linkIds[1]).waitFor();
    await expect(row('Links', linkIds[0]).count()).resolves.toBe(0);
    await opened.page.getByRole('button', { name: `Change the link ${linkIds[1]}` }).click();
    const dialog = opened.page.getByRole('dialog', {
      name: `Link from ${nameOf(middle)} to ${nameOf(far)}`,
    });
    await dialog.getByText('1 circuit on this link.').waitFor();
    await dialog.getByRole('textbox', { name: 'Static cost' }).fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row('Links', linkIds[1]).filter({ hasText: '130,007' }).waitFor();
    await expect(cells(row('Links', linkIds[1]))).resolves.toBe(
      [
        nameOf(middle),
        nameOf(far),
        'carries traffic',
        '130,007',
        '7',
        'not measured yet',
        '1',
        linkIds[1],
        'Change',
      ].join(' | '),
    );
  });

  test('shows the usage by service', async () => {
    await tab('Usage');
    const ofService = row('Usage', /svc/);
    await ofService.waitFor();
    await expect(cells(ofService)).resolves.toMatch(/^svc-\d+ \| 1.5 kB \| 2 MB \| 2 MB$/);
    await expectToFollow();
  });

  test('leads from a service to its circuits, and from these to a path', async () => {
    await opened.open(`/entities/services/${net.serviceId}`);
    await opened.page.getByRole('link', { name: 'Its circuits' }).click();
    const circuit = row('Circuits', circuitId);
    await circuit.waitFor();
    await expect(cells(circuit)).resolves.toMatch(
      new RegExp(
        `\\| ${[near, middle, far].map(nameOf).join(' › ')} \\| terminator-.+ \\| 1.5 kB \\| 2 MB$`,
      ),
    );
    await circuit.getByRole('button', { name: circuitId }).click();
    await way(panel('Circuit')).nth(2).waitFor();
    const address = new URL(opened.page.url());
    expect(address.searchParams.get('view')).toBe('circuits');
    expect(address.searchParams.get('service')).toBe(net.serviceId);
    expect(address.searchParams.get('circuit')).toBe(circuitId);
    await expectToFollow('NewCircuitChanges');
  });

  test('shows without a reload that a circuit begins, and that the chosen one ends', async () => {
    const next = await dial();
    await row('Circuits', next).waitFor();
    near.router.tell(CONTENT.fault, messages.Fault, { subject: 'IngressFault', id: circuitId });
    await panel('Circuit').getByText('This circuit has ended.').waitFor();
    await row('Circuits', circuitId).waitFor({ state: 'detached' });
    circuitId = next;
  });

  test('ends a circuit after a question', async () => {
    await row('Circuits', circuitId).getByRole('button', { name: circuitId }).click();
    await panel('Circuit').getByRole('button', { name: 'End this circuit' }).click();
    const dialog = opened.page.getByRole('dialog', { name: 'End this circuit?' });
    await dialog.getByRole('button', { name: 'End it now' }).click();
    await panel('Circuit').getByText('This circuit has ended.').waitFor();
    await row('Circuits', circuitId).waitFor({ state: 'detached' });
  });

  longTest('shows without a reload that a router goes away', async () => {
    await tab('Routers');
    await row('Routers', nameOf(middle)).filter({ hasText: 'online' }).waitFor();
    await middle.router.close();
    const gone = row('Routers', nameOf(middle)).filter({ hasText: 'offline' });
    await gone.waitFor();
    await expect(cells(gone)).resolves.toMatch(/\| offline \| – \| 2 \| 0 \|/);
    await tab('Picture');
    await opened.page.getByRole('listitem').filter({ hasText: 'router, offline' }).waitFor();
    await opened.open(`/traffic?from=${far.id}&to=${near.id}`);
    await panel('Path between two routers').getByText('has no link that is up').waitFor();
  });

  longTest('shortens names that the picture has no room for', async () => {
    const name = `a router with a ${'very '.repeat(60)}long name`;
    await opened.controller.create('edge-routers', { name, isTunnelerEnabled: false });
    const letters = await lettersOf(() => opened.open('/traffic'), /^a router with/);
    for (const { text, end, width } of letters) {
      expect(text).toMatch(/^a router with a .*….*\(not enrolled\)$/);
      expect(end).toBeLessThanOrEqual(width);
    }
  });

  longTest(
    'shows a chosen router with its neighbours, also where there are more routers',
    async () => {
      const { controller, page } = opened;
      const MAX_CHANGES = 500;
      const changes = Array.from({ length: MAX_CHANGES }, (_, i) => ({
        operation: 'create',
        type: 'edgeRouter',
        input: { name: `0 ${String(i)}` },
      }));
      const { errors } = await controller.graphql(
        'mutation ($changes: [ModelChangeInput!]!) { applyChanges(changes: $changes) { entityId } }',
        { changes },
      );
      expect(errors).toBeUndefined();
      await opened.open('/traffic');
      await page.getByText('The picture has a part of the routers and links.').waitFor();
      await page
        .getByRole('application', { name: /^Picture of 500 routers and 0 links/ })
        .waitFor();
      const chosen = () => opened.open(`/traffic?router=${far.id}`);
      await lettersOf(chosen, new RegExp(`^${nameOf(far)}`));
      await page
        .getByRole('application', { name: /^Picture of 500 routers and 1 link\b/ })
        .waitFor();
    },
  );

  longTest('offers readers neither the change of a link nor the end of a circuit', async () => {
    const direct = await link(near, far);
    const next = await dial();
    const { apiToken, identityId } = net.dialer;
    await opened.controller.rest('PATCH', `/identities/${identityId}`, {
      permissions: ['ops.read'],
    });
    await opened.page.evaluate(`sessionStorage.setItem('overgraph.session', '${apiToken}')`);
    await opened.open(`/traffic?view=circuits&circuit=${next}`);
    await way(panel('Circuit')).nth(1).waitFor();
    // Without the permission for names there are ids.
    await expect(cells(row('Circuits', next))).resolves.toContain(
      `${next} | ${identityId} | ${net.serviceId} | ${nameOf(near)} › ${nameOf(far)}`,
    );
    await expect(
      panel('Circuit').getByRole('button', { name: 'End this circuit' }).count(),
    ).resolves.toBe(0);
    await expect(opened.page.getByRole('tab').allInnerTexts()).resolves.toEqual([
      'Picture',
      'Links',
      'Circuits',
      'Usage',
    ]);
    await tab('Links');
    await row('Links', direct).waitFor();
    await expect(opened.page.getByRole('button', { name: /^Change/ }).count()).resolves.toBe(0);
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
