import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AxeBuilder } from '@axe-core/playwright';
import { authPolicy } from '../../trust/auth/client.js';
import { OutsideSigner } from '../../trust/auth/signers.js';
import { Traffic } from '../../network/control/traffic-network.js';
import { inBrowser, useConsole } from '../support/console-in-browser.js';
import { cutOff, looksOf, type Look } from '../support/looks.js';

/** What holds for each page of the console, in both themes and on narrow screens. */

const opened = useConsole();
/** Of the entities in addresses, by the words that stand for them. */
const ids = new Map<string, string>();
let net: Traffic;

beforeAll(async () => {
  const { controller } = opened;
  for (const [key, name] of Object.entries({ ADA: 'ada', BOB: 'bob', LONG: LONG_NAME })) {
    const identity = { name, type: 'Default', isAdmin: false, roleAttributes: ['staff', name] };
    ids.set(key, await controller.create('identities', identity));
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
  const rule = {
    name: LONG_NAME,
    kind: 'MUST_REACH',
    type: 'Bind',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: [`@${String(ids.get('WIKI'))}`],
  };
  const reason = { 'overgraph-override-reason': 'nobody hosts yet' };
  const { body } = await controller.rest('POST', '/access-rules', rule, reason);
  ids.set('RULE', (body.data as { id: string }).id);
  const review = 'mutation { startAccessReview(name: "of all") { id } }';
  const started = await controller.graphql(review);
  ids.set('REVIEW', (started.data as { startAccessReview: { id: string } }).startAccessReview.id);
  ids.set('DRAFT', linkToDraft());
  ids.set('PROPOSAL', linkTo([proposal()]));
  const policy = { ...authPolicy({}), name: 'rules' };
  const rules = await controller.create('auth-policies', policy);
  await controller.rest('PATCH', `/identities/${String(ids.get('LONG'))}`, { authPolicyId: rules });
  const deletion = { operation: 'delete', type: 'AuthPolicy', name: 'rules', id: rules };
  ids.set('REFUSED', linkTo([deletion]));
  net = await Traffic.at(controller);
  await net.begin();
  const { circuitId } = await net.overLink();
  ids.set('CIRCUIT', circuitId);
});
afterAll(() => net.end());

/** A name may have as many letters as this, without a space. */
const LONG_NAME = 'Überlang'.repeat(25);

const PAGES = [
  '/',
  '/draft',
  '/draft#PROPOSAL',
  '/map?draft=true',
  '/map?draft=true&view=edges',
  '/draft#DRAFT',
  '/draft#GARBAGE',
  '/draft#REFUSED',
  '/map',
  '/map?layout=force',
  '/map?view=edges',
  '/map?view=nodes&look=posture',
  '/map?look=online',
  '/map?time=true',
  '/map?identity=ADA&service=WIKI',
  '/ask',
  '/ask?identity=LONG',
  '/ask?identity=ADA&service=WIKI',
  '/findings',
  '/traffic',
  '/traffic?circuit=CIRCUIT',
  '/traffic?view=routers',
  '/traffic?view=links',
  '/traffic?view=circuits&circuit=CIRCUIT',
  '/traffic?view=usage',
  '/changes',
  '/changes?filter=entityName+%3D+%22nobody%22',
  '/entities/identities',
  '/entities/identities?filter=name+%3D',
  '/entities/identities?filter=name+%3D+%22nobody%22',
  '/entities/identities/LONG',
  '/entities/identities/LONG?tab=enrollments',
  '/entities/identities/LONG?tab=servicePolicies',
  '/entities/identities/GONE',
  '/entities/accessReviews/REVIEW?tab=lines',
  '/entities/accessRules',
  '/entities/accessRules/RULE?tab=violations',
  '/entities/configs/CONFIG',
  '/entities/apiSessions',
  '/entities/servicePolicies/POLICY',
  '/entities/servicePolicies/POLICY?tab=history',
  '/edit/servicePolicies/POLICY',
  '/edit/services/WIKI',
  '/create/accessRules',
  '/create/authPolicies',
  '/create/identities',
  '/edit/identities/LONG',
  '/entities/edgeRouters/ROUTER?tab=enrollments',
  '/entities/controllers/SERVER',
  '/create/configs',
  '/edit/configs/CONFIG',
  '/reviews/new',
  '/account',
  '/search',
  '/search?text=staff',
  '/search?text=zzzzz',
  '/nowhere',
];
/** Dialogs, by the page and by what opens them. */
const DIALOGS = [
  ['/', 'footer button[aria-label="Help and keyboard"]'],
  ['/changes', 'main [role=cell] button'],
  ['/findings', 'main [role=cell] button'],
  ['/entities/identities/LONG', 'main .head button'],
] as const;

/** Its entities have other revisions than it says, or do not exist. */
function linkToDraft(): string {
  return linkTo([
    { ...proposal(), revision: 99 },
    {
      operation: 'create',
      type: 'ServicePolicy',
      name: 'of nobody',
      input: { identityRoles: [`@${LONG_NAME}`] },
    },
    { operation: 'delete', type: 'Service', name: 'gone', id: 'gone', revision: 1 },
  ]);
}
function proposal(): object {
  const input = { identityRoles: ['#all'], tags: { [LONG_NAME]: LONG_NAME } };
  return {
    operation: 'update',
    type: 'ServicePolicy',
    name: 'readers',
    id: ids.get('POLICY'),
    input,
  };
}
const linkTo = (changes: readonly object[]): string =>
  Buffer.from(JSON.stringify(changes)).toString('base64');

const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = [1_400, 500];
/** Of all pages behind the login. */
const PARTS = ['menu', 'content'];

/** A line of text below the heading has more, a page without content nothing. */
const MIN_PAINTED = 0.0005;
/** The themes differ at least so much. */
const MIN_CONTRAST = 0.5;

type Looks = Readonly<Record<string, Look>>;

const blankParts = (looks: Looks, parts: readonly string[]): string[] =>
  parts.filter((part) => (looks[part]?.painted ?? 0) < MIN_PAINTED);

const sameParts = (light: Looks, dark: Looks): string[] =>
  Object.keys(light).filter((part) => {
    const difference = (light[part]?.background ?? 0) - (dark[part]?.background ?? 0);
    return difference < MIN_CONTRAST;
  });

/** Looks at the page in both themes, on wide and narrow screens. */
async function expectSound(parts: readonly string[]): Promise<void> {
  const { page } = opened;
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 850 });
    const looks: Looks[] = [];
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await new AxeBuilder({ page }).analyze();
      const faults = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
      expect([colorScheme, width, faults]).toEqual([colorScheme, width, []]);
      const shown = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect([colorScheme, width, shown]).toEqual([colorScheme, width, width]);
      expect([colorScheme, width, await cutOff(page)]).toEqual([colorScheme, width, []]);
      const look = await looksOf(page);
      expect([colorScheme, width, blankParts(look, [...parts, ...Object.keys(look)])]).toEqual([
        colorScheme,
        width,
        [],
      ]);
      looks.push(look);
    }
    const [light = {}, dark = {}] = looks;
    expect([width, sameParts(light, dark)]).toEqual([width, []]);
  }
}

async function openPage(path: string): Promise<void> {
  await opened.open(path.replaceAll(/[A-Z]{3,}/g, (word) => ids.get(word) ?? word));
  await opened.page.locator('main h1, main a').first().waitFor();
  await isComplete();
}

const isComplete = (): Promise<void> =>
  opened.page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });

inBrowser('the login', () => {
  test('is accessible, and says in words what failed', async () => {
    const { settings } = await OutsideSigner.create('issuer');
    const name = 'a signer with a name that is much longer than a button is wide '.repeat(2);
    await opened.controller.create('external-jwt-signers', { ...settings, name });
    await opened.open('/');
    await opened.page.getByRole('button', { name: 'Log in at a signer' }).waitFor();
    await opened.page.getByRole('button', { name: 'Log in with a certificate' }).click();
    await opened.page.getByRole('alert').waitFor();
    await expectSound(['content']);
  });
});

inBrowser('each page', () => {
  beforeAll(() => opened.enter());

  test.each(PAGES)(
    '%s is accessible, is as wide as the screen, and shows all that it has',
    async (path) => {
      await openPage(path);
      await expectSound(PARTS);
    },
  );

  test.each(DIALOGS)('%s has a dialog that is so, too', async (path, opener) => {
    await opened.page.setViewportSize({ width: 1_400, height: 850 });
    await openPage(path);
    await opened.page.locator(opener).last().click();
    await opened.page.getByRole('dialog').waitFor();
    await isComplete();
    await expectSound(['dialog']);
  });

  test('is not taken for sound when it is blank, cut off, or the same in both themes', async () => {
    const change = (style: string): Promise<unknown> =>
      opened.page.evaluate(`document.querySelector('main').style.cssText = '${style}'`);
    await opened.page.setViewportSize({ width: 1_400, height: 850 });
    await opened.open('/account');
    await opened.page.getByRole('heading', { name: 'Password' }).waitFor();
    const looks = await looksOf(opened.page);
    expect(blankParts(looks, PARTS)).toEqual([]);
    expect(sameParts(looks, looks)).toEqual(['menu', 'content']);
    expect(await cutOff(opened.page)).toEqual([]);
    await change('opacity: 0');
    expect(blankParts(await looksOf(opened.page), PARTS)).toEqual(['content']);
    await change('width: 5rem; overflow: hidden; white-space: nowrap');
    expect(await cutOff(opened.page)).not.toEqual([]);
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
