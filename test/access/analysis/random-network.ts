import fc from 'fast-check';
import { pendingValue, PolicyIndex } from '../../../src/kernel/policy/index.js';
import type {
  EntityKind,
  PolicyKind,
  ServicePolicyType,
  Side,
} from '../../../src/kernel/policy/index.js';
import type { RowChange } from '../../../src/access/analysis/index.js';
import { isMember, Network } from '../../kernel/policy/network.js';

/** The same ids in every kind, some of which UTF-16 and UTF-8 order differently. */
export const IDS = ['\u{1F600}', '\uFFEE', 'é', ...Array.from({ length: 57 }, (_, i) => `e${i}`)];
const ATTRIBUTES = ['pending', 'a', 'b', 'c', 'd', 'e', 'f', 'all', '#odd'];

const semantic = fc.constantFrom('AllOf' as const, 'AnyOf' as const);
const attributes = fc.subarray(ATTRIBUTES, { maxLength: 4 });

export const roles = (ids: readonly string[]): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<string[]>(['#all']) },
    {
      weight: 8,
      arbitrary: fc
        .tuple(
          fc.subarray(
            ATTRIBUTES.filter((name) => name !== 'all'),
            { maxLength: 3 },
          ),
          fc.array(fc.constantFrom(...ids, 'nobody'), { maxLength: 2 }),
        )
        .map(([names, named]) => [
          ...names.map((name) => `#${name}`),
          ...new Set(named.map((id) => `@${id}`)),
        ]),
    },
  );

type Sizes = Readonly<Record<EntityKind | PolicyKind, number>>;

const LARGE: Sizes = {
  identity: 60,
  service: 40,
  edgeRouter: 8,
  postureCheck: 5,
  servicePolicy: 20,
  edgeRouterPolicy: 8,
  serviceEdgeRouterPolicy: 8,
};

const idOf = (kind: EntityKind | PolicyKind, sizes: Sizes): fc.Arbitrary<string> =>
  fc.constantFrom(...IDS.slice(0, sizes[kind]));

function valueOf(kind: EntityKind | PolicyKind, sizes: Sizes): fc.Arbitrary<unknown> {
  const of = (side: EntityKind): fc.Arbitrary<string[]> => roles(IDS.slice(0, sizes[side]));
  switch (kind) {
    case 'servicePolicy':
      return fc.record({
        semantic,
        type: fc.constantFrom('Dial', 'Bind'),
        roles: fc.record({
          identities: of('identity'),
          services: of('service'),
          postureChecks: of('postureCheck'),
        }),
      });
    case 'edgeRouterPolicy':
      return fc.record({
        semantic,
        roles: fc.record({ identities: of('identity'), edgeRouters: of('edgeRouter') }),
      });
    case 'serviceEdgeRouterPolicy':
      return fc.record({
        semantic,
        roles: fc.record({ services: of('service'), edgeRouters: of('edgeRouter') }),
      });
    case 'identity':
      return fc.oneof(
        { weight: 3, arbitrary: fc.record({ attributes }) },
        {
          weight: 1,
          arbitrary: attributes.map((held) => pendingValue({ attributes: held })),
        },
      );
    default:
      return fc.record({ attributes });
  }
}

const KINDS = Object.keys(LARGE) as (keyof Sizes)[];

/** All the rows of a network. */
export function networkOf(sizes: Sizes = LARGE): fc.Arbitrary<RowChange[]> {
  const rows = KINDS.map((kind) =>
    fc
      .array(valueOf(kind, sizes), { maxLength: sizes[kind], size: 'max' })
      .map((values) => values.map((value, i) => ({ kind, id: IDS[i], value }) as RowChange)),
  );
  return fc.tuple(...rows).map((kinds) => kinds.flat());
}

/** Creations, replacements and deletions in any order. */
export function changesOf(maxLength: number, sizes: Sizes = LARGE): fc.Arbitrary<RowChange[]> {
  const change = fc
    .constantFrom(...KINDS)
    .chain((kind) =>
      fc
        .tuple(idOf(kind, sizes), fc.option(valueOf(kind, sizes), { freq: 3 }))
        .map(([id, value]) => ({ kind, id, value }) as RowChange),
    );
  return fc.array(change, { minLength: 1, maxLength, size: 'max' });
}

/** The rows in an index, after others that came and went, so that ordinals are not in order. */
export function indexOf(rows: readonly RowChange[]): PolicyIndex {
  const index = new PolicyIndex();
  for (const kind of ['identity', 'service', 'edgeRouter', 'postureCheck'] as const) {
    for (const id of ['gone1', ...IDS.slice(20, 25), 'gone2']) {
      index.putEntity(kind, { id, attributes: ['a'] });
    }
    for (const id of ['gone1', ...IDS.slice(20, 25), 'gone2']) index.removeEntity(kind, id);
  }
  applyTo(index, rows);
  return index;
}

let revision = 0;

export function applyTo(index: PolicyIndex, rows: readonly RowChange[]): void {
  for (const row of rows) index.apply({ ...row, revision: (revision += 1) });
}

export const networkAfter = (...rows: readonly (readonly RowChange[])[]): Network =>
  Network.after(rows.flat().map((row) => ({ ...row, revision: 0 })));

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export const sortedByBytes = (ids: Iterable<string>): string[] => [...ids].sort(byBytes);

/** All pairs by definition, as `[identityId, serviceId, type]` in the documented order. */
export function allPairs(network: Network): [string, string, ServicePolicyType][] {
  const pairs: [string, string, ServicePolicyType][] = [];
  const policies = [...network.policies.servicePolicy.values()].map((policy) => ({
    type: policy.type,
    identities: new Set(network.members(policy, 'servicePolicy', 'identities')),
    services: new Set(network.members(policy, 'servicePolicy', 'services')),
  }));
  for (const identity of sortedByBytes(network.entities.identity.keys())) {
    const mine = policies.filter(({ identities }) => identities.has(identity));
    for (const service of sortedByBytes(network.entities.service.keys())) {
      for (const type of ['Bind', 'Dial'] as const) {
        if (mine.some((p) => p.type === type && p.services.has(service))) {
          pairs.push([identity, service, type]);
        }
      }
    }
  }
  return pairs;
}

/** Pairs of two entities that share a policy of a kind. */
export function pairsThrough(
  network: Network,
  kind: 'edgeRouterPolicy' | 'serviceEdgeRouterPolicy',
): [string, string][] {
  const side = kind === 'edgeRouterPolicy' ? 'identities' : 'services';
  const from = network.entities[kind === 'edgeRouterPolicy' ? 'identity' : 'service'];
  return sortedByBytes(from.keys()).flatMap((id) =>
    sortedByBytes(network.reach(kind, side, id, 'edgeRouters')).map((router): [string, string] => [
      id,
      router,
    ]),
  );
}

export { isMember };

/** Such a role is of use while nobody waits, too. */
export const isForPending = (side: Side, roles: readonly string[]): boolean =>
  side === 'identities' && roles.includes('#pending');

export const byBytesOf = (policies: readonly { id: string }[]): string[] =>
  policies.map(({ id }) => id).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
