import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AxeBuilder } from '@axe-core/playwright';
import { OutsideSigner } from '../../auth/signers.js';
import { Traffic } from '../../control/traffic-network.js';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/** What holds for each page of the console, in both themes and on narrow screens. */

const opened = useConsole();
/** Of the entities in addresses, by the words that stand for them. */
const ids = new Map<string, string>();
let net: Traffic;

beforeAll(async () => {
  const { controller } = opened;
  for (const name of ['ada', 'bob']) {
    const identity = { name, type: 'Default', isAdmin: false, roleAttributes: ['staff'] };
    ids.set(name.toUpperCase(), await controller.create('identities', identity));
  }
  const wiki = { name: 'wiki', encryptionRequired: true };
  ids.set('WIKI', await controller.create('services', wiki));
  ids.set('ROUTER', await controller.create('edge-routers', { name: 'berlin' }));
  const { data } = await controller.graphql('{ controllers { nodes { id } } }');
  const { controllers } = data as { controllers: { nodes: [{ id: string }] } };
  ids.set('SERVER', controllers.nodes[0].id);
  const config = {
    name: 'wiki.hosts',
    configTypeId: 'host.v2',
    data: {
      terminators: [
        {
          protocol: 'tcp',
          forwardAddress: true,
          allowedAddresses: ['wiki.example'],
          forwardAddressTranslations: [{ from: '10.0.0.0', to: '10.1.0.0', prefixLength: 8 }],
          port: 80,
          listenOptions: { precedence: 'required' },
          portChecks: [{ interval: '5s', timeout: '1s', address: 'wiki.example:80' }],
        },
      ],
    },
  };
  ids.set('CONFIG', await controller.create('configs', config));
  const readers = {
    name: 'readers',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: ['#all'],
  };
  ids.set('POLICY', await controller.create('service-policies', readers));
  ids.set('DRAFT', linkToDraft());
  net = await Traffic.at(controller);
  await net.begin();
  const { circuitId } = await net.overLink();
  ids.set('CIRCUIT', circuitId);
});
afterAll(() => net.end());

const PAGES = [
  '/',
  '/map',
  '/map?view=nodes&look=posture',
  '/map?look=online',
  '/map?time=true',
  '/map?identity=ADA&service=WIKI',
  '/ask',
  '/findings',
  '/traffic',
  '/traffic?circuit=CIRCUIT',
  '/traffic?view=routers',
  '/traffic?view=links',
  '/traffic?view=circuits&circuit=CIRCUIT',
  '/traffic?view=usage',
  '/changes',
  '/draft',
  '/draft#DRAFT',
  '/entities/identities',
  '/entities/apiSessions',
  '/entities/servicePolicies/POLICY',
  '/entities/servicePolicies/POLICY?tab=history',
  '/edit/servicePolicies/POLICY',
  '/create/authPolicies',
  '/entities/edgeRouters/ROUTER?tab=enrollments',
  '/entities/controllers/SERVER',
  '/create/configs',
  '/edit/configs/CONFIG',
  '/reviews/new',
  '/account',
  '/search?text=staff',
  '/nowhere',
];
/** Its entities have other revisions than it says, or do not exist. */
function linkToDraft(): string {
  const readers = { type: 'ServicePolicy', name: 'readers', id: ids.get('POLICY'), revision: 99 };
  const changes = [
    { ...readers, operation: 'update', input: { identityRoles: ['#all'] } },
    { operation: 'delete', type: 'Service', name: 'gone', id: 'gone', revision: 1 },
  ];
  return Buffer.from(JSON.stringify(changes)).toString('base64');
}

const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = [1_400, 500];

/** Looks at the page in both themes, on wide and narrow screens. */
async function expectAccessible(): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await opened.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of WIDTHS) {
      await opened.page.setViewportSize({ width, height: 850 });
      const { violations } = await new AxeBuilder({ page: opened.page }).analyze();
      const faults = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
      expect([colorScheme, width, faults]).toEqual([colorScheme, width, []]);
      const shown = await opened.page.evaluate<number>('document.documentElement.scrollWidth');
      expect([colorScheme, width, shown]).toEqual([colorScheme, width, width]);
    }
  }
}

inBrowser('the login', () => {
  test('is accessible, and says in words what failed', async () => {
    const { settings } = await OutsideSigner.create('issuer');
    const name = 'a signer with a name that is much longer than a button is wide '.repeat(2);
    await opened.controller.create('external-jwt-signers', { ...settings, name });
    await opened.open('/');
    await opened.page.getByRole('button', { name: 'Log in at a signer' }).waitFor();
    await opened.page.getByRole('button', { name: 'Log in with a certificate' }).click();
    await opened.page.getByRole('alert').waitFor();
    await expectAccessible();
  });
});

inBrowser('each page', () => {
  beforeAll(() => opened.enter());

  test.each(PAGES)('%s is accessible, and is as wide as the screen', async (path) => {
    await opened.open(path.replaceAll(/[A-Z]{3,}/g, (word) => ids.get(word) ?? word));
    await opened.page.locator('main h1, main a').first().waitFor();
    await opened.page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
    await expectAccessible();
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
