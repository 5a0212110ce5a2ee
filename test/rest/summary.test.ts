import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { catalog } from '../../src/resources/index.js';
import { startController, type TestController } from '../support/controller.js';
import { SampleNetwork } from './support/network.js';

/* How many entities there are, for those who may read them. Consoles ask for it when they open. */

let controller: TestController;
let network: SampleNetwork;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  network = await new SampleNetwork(controller, catalog).build();
});
afterAll(() => controller.stop());

type Counts = Record<string, number>;

/** The summary of the graph has a member for each list; REST clients know two by other names. */
const MEMBERS = [...catalog.all()]
  .filter(({ options }) => options.isRecord !== true)
  .map(({ list }) => list)
  .join(' ');
const NAMES: Readonly<Record<string, string>> = {
  certificateAuthorities: 'cas',
  edgeRouters: 'routers.edge',
};

async function overRest(token: string): Promise<Counts | number> {
  const { status, body } = await controller.rest('GET', '/summary', undefined, {
    'zt-session': token,
  });
  return status === 200 ? body.data : status;
}

async function overGraph(token: string): Promise<Counts | number> {
  const text = `{ summary { ${MEMBERS} } }`;
  const { data, errors } = await controller.graphql(text, {}, { 'zt-session': token });
  const [error] = errors ?? [];
  if (error) return Number(error.extensions.status);
  const counts = Object.entries((data as { summary: Record<string, number | null> }).summary);
  return Object.fromEntries(
    counts.flatMap(([list, count]) => (count === null ? [] : [[NAMES[list] ?? list, count]])),
  );
}

const totalOf = async (collection: string): Promise<number> =>
  (await controller.rest('GET', `/${collection}`)).body.meta.pagination.totalCount;

describe.each([
  ['REST', overRest],
  ['GraphQL', overGraph],
])('the summary over %s', (_, summaryFor) => {
  const holding = async (...permissions: string[]) =>
    summaryFor((await network.login(permissions)).token);

  test('counts everything for those who read everything', async () => {
    const all = await holding('admin_readonly');
    const ofAdministrator = (await summaryFor(controller.token)) as Counts;
    expect(all).toMatchObject({
      authPolicies: await totalOf('auth-policies'),
      'routers.edge': await totalOf('edge-routers'),
      services: await totalOf('services'),
    });
    expect(Object.keys(all)).toEqual(Object.keys(ofAdministrator));
  });

  test.each([
    ['service.read', ['services']],
    ['service', ['services']],
    ['router.read', ['routers', 'routers.edge', 'transitRouters']],
    ['identity.read', ['identities', 'identityTypes']],
  ])('counts for %s what it may read', async (permission, keys) => {
    const counts = await holding(permission, 'ca.update');
    expect(Object.keys(counts).sort()).toEqual(keys);
  });

  test.each([[[]], [['service.create', 'identity.update']]])(
    'is refused to a holder of %j, who may read nothing',
    async (permissions) => {
      expect(await holding(...permissions)).toBe(401);
    },
  );
});
