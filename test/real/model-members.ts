import { expect } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { RealNetwork, RealRouter } from './real-network.js';

/* The members of service policies: as the controller lists them, and as the model of a router has them. */

export interface Sides {
  readonly identities: readonly string[];
  readonly services: readonly string[];
  readonly postureChecks: readonly string[];
}

const INDEX = 'router-data-model-index';
const MODEL = 'router-data-model';
const PATIENCE_MS = 60_000;

/** The values that nodes have under a name, by the ids of the nodes. */
async function inspected<T>({ controller }: RealNetwork, name: string): Promise<Map<string, T>> {
  const { data } = await controller.graphql(
    'query ($name: String!) { inspect(pattern: ".*", names: [$name]) { values { nodeId value } } }',
    { name },
  );
  const { inspect } = data as { inspect: { values: { nodeId: string; value: T }[] } };
  return new Map(inspect.values.map(({ nodeId, value }) => [nodeId, value]));
}

async function idsOf({ controller }: RealNetwork, path: string): Promise<string[]> {
  const { body } = await controller.rest('GET', `${path}?limit=500`);
  return (body.data as { id: string }[]).map(({ id }) => id).sort();
}

/** The index of the model that a router has; 0 without a model. */
export async function modelIndex(net: RealNetwork, { id }: RealRouter): Promise<number> {
  const indexes = await inspected<{ index: number }>(net, INDEX);
  return indexes.get(id)?.index ?? 0;
}

/** Waits until routers have the model at the index of the controller. */
export async function areInStep(net: RealNetwork, routers: readonly RealRouter[]): Promise<void> {
  await eventually(async () => {
    const indexes = await inspected<object>(net, INDEX);
    const all = await idsOf(net, '/edge-routers');
    const [ofController] = [...indexes].filter(([node]) => !all.includes(node));
    expect(ofController).toBeDefined();
    for (const { id } of routers) expect(indexes.get(id)).toEqual(ofController?.[1]);
  }, PATIENCE_MS);
}

/** The members of all service policies, as the controller lists them. */
export async function policyMembers(net: RealNetwork): Promise<Map<string, Sides>> {
  const members = new Map<string, Sides>();
  for (const id of await idsOf(net, '/service-policies')) {
    members.set(id, {
      identities: await idsOf(net, `/service-policies/${id}/identities`),
      services: await idsOf(net, `/service-policies/${id}/services`),
      postureChecks: await idsOf(net, `/service-policies/${id}/posture-checks`),
    });
  }
  return members;
}

/** Ids: routers of version 2 list them, those of version 1.6 have them as the names of members. */
type Ids = readonly string[] | Readonly<Record<string, object>>;

interface RouterModel {
  readonly servicePolicies: Readonly<
    Record<string, Record<'services' | 'postureChecks', Ids> & { readonly identities?: Ids }>
  >;
  readonly identities: Readonly<Record<string, { readonly servicePolicies: Ids }>>;
}

const isList = (ids: Ids): ids is readonly string[] => Array.isArray(ids);

const sortedIds = (ids: Ids): string[] => (isList(ids) ? [...ids] : Object.keys(ids)).sort();

/** Routers of version 1.6 have the policies of an identity instead of the identities of a policy. */
const identitiesOf = ({ identities }: RouterModel, policyId: string): string[] =>
  Object.keys(identities).filter((id) =>
    sortedIds(identities[id]?.servicePolicies ?? []).includes(policyId),
  );

/** The same in the model of a router, once it is at the index of the controller. */
export async function membersAt(net: RealNetwork, router: RealRouter): Promise<Map<string, Sides>> {
  await areInStep(net, [router]);
  const model = (await inspected<RouterModel>(net, MODEL)).get(router.id);
  if (!model) throw new Error('the router gives no model');
  return new Map(
    Object.entries(model.servicePolicies).map(([id, policy]) => [
      id,
      {
        identities: sortedIds(policy.identities ?? identitiesOf(model, id)),
        services: sortedIds(policy.services),
        postureChecks: sortedIds(policy.postureChecks),
      },
    ]),
  );
}
