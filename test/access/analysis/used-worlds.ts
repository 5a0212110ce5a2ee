import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { narrowing, UsedPairs } from '../../../src/access/analysis/index.js';
import type { Narrowing, RowChange } from '../../../src/access/analysis/index.js';
import type { PolicyIndex } from '../../../src/kernel/policy/index.js';
import type { AnyPolicyValue, ServicePolicyType } from '../../../src/kernel/policy/index.js';
import type { Network } from '../../kernel/policy/network.js';
import { IDS, indexOf, networkAfter, networkOf } from './random-network.js';
import { runs } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

/** Networks with the pairs that were used in them, and the definitions in plain sets. */

export type Side = 'identities' | 'services';
export const SIDES: readonly Side[] = ['identities', 'services'];
export type Pair = readonly [identityId: string, serviceId: string, type: ServicePolicyType];

/** A number below 100 for a text, the same for the same text. */
const chanceOf = (text: string): number =>
  (createHash('md5').update(text).digest().readUInt16BE() * 100) >>> 16;

/** Few, many or all pairs of identities and services, of which some exist and some are granted. */
const usedPairs: fc.Arbitrary<Pair[]> = fc
  .tuple(fc.constantFrom(2, 20, 90, 100), fc.nat(), fc.subarray(IDS, { minLength: 0 }))
  .map(([percent, seed, services]) =>
    [...IDS, 'deleted'].flatMap((identityId) =>
      [...services, 'deleted'].flatMap((serviceId) =>
        (['Dial', 'Bind'] as const)
          .map((type): Pair => [identityId, serviceId, type])
          .filter((pair) => chanceOf(`${String(seed)} ${pair.join(' ')}`) < percent),
      ),
    ),
  );

export const keyOf = (pair: Pair): string => JSON.stringify(pair);

function usedIn(index: PolicyIndex, pairs: readonly Pair[]): UsedPairs {
  const used = new UsedPairs(index);
  // An answer may name a pair twice.
  for (const [identityId, serviceId, type] of [...pairs, ...pairs.slice(0, 5)]) {
    used.add(identityId, [serviceId], type);
  }
  return used;
}

/** The pairs that a policy grants. */
export function granted(network: Network, policy: AnyPolicyValue | undefined): Pair[] {
  const services = network.members(policy, 'servicePolicy', 'services');
  return network
    .members(policy, 'servicePolicy', 'identities')
    .flatMap((identityId) =>
      services.map((serviceId): Pair => [identityId, serviceId, policy?.type ?? 'Dial']),
    );
}

export const policiesOf = (network: Network): AnyPolicyValue[] => [
  ...network.policies.servicePolicy.values(),
];

/** A policy after its changes; undefined: it is deleted. */
export function changed(
  policy: AnyPolicyValue,
  { changes }: Narrowing,
): AnyPolicyValue | undefined {
  const [change, ...more] = changes;
  expect(more).toEqual([]);
  if (!change) return policy;
  expect([change.kind, change.id]).toEqual(['servicePolicy', policy.id]);
  if (!('update' in change)) {
    expect(change.value).toBeNull();
    return undefined;
  }
  return {
    ...policy,
    roles: { ...policy.roles, ...('roles' in change.update ? change.update.roles : {}) },
  };
}

interface World {
  readonly network: Network;
  readonly index: PolicyIndex;
  readonly used: UsedPairs;
  readonly isUsed: (pair: Pair) => boolean;
}

export function worldOf(rows: readonly RowChange[], pairs: readonly Pair[]): World {
  const index = indexOf(rows);
  const keys = new Set(pairs.map(keyOf));
  return {
    network: networkAfter(rows),
    index,
    used: usedIn(index, pairs),
    isUsed: (pair) => keys.has(keyOf(pair)),
  };
}

export function narrowed({ index, used }: World, id: string): Narrowing {
  const policy = index.policy('servicePolicy', id);
  if (!policy) throw new Error('no such policy');
  return toEnd(narrowing(index, used, policy));
}

/** More identities than ids may replace a role; most of them use everything. */
const CROWD = Array.from({ length: 80 }, (_, i) => `x${i}`);
const crowdRows = CROWD.map((id, i): RowChange => {
  const attributes = ['a', ...(i % 2 === 0 ? ['b'] : []), ...(i % 3 === 0 ? ['c'] : [])];
  return { kind: 'identity', id, value: { attributes } };
});
const crowdPairs = CROWD.filter((_, i) => i % 5 > 0).flatMap((identityId) =>
  IDS.slice(0, 40).flatMap((serviceId): Pair[] => [
    [identityId, serviceId, 'Dial'],
    [identityId, serviceId, 'Bind'],
  ]),
);

export const worlds = fc
  .tuple(networkOf(), usedPairs, fc.boolean())
  .map(([rows, pairs, isCrowded]): [RowChange[], Pair[]] =>
    isCrowded
      ? [
          [...rows, ...crowdRows],
          [...pairs, ...crowdPairs],
        ]
      : [rows, pairs],
  );
export const RUNS = runs(20);
