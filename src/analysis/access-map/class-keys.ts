import { Bitset } from '../../policy/index.js';
import { eachSliced } from '../slices.js';
import type { Sliced } from '../slices.js';
import type { EntityClasses } from './entity-classes.js';
import { Fingerprints, keyFrom, fingerprintOf, sumOf, textOf } from './fingerprints.js';
import type { Fingerprint } from './fingerprints.js';
import type { MapPolicy, MapScope } from './map-scope.js';

/*
 * The key of a class depends on the policies of its entities alone, before and after the changes.
 * Without changes both are the same, so that an unchanged class has the same key in every map.
 * The keys of a few classes follow from the policies of one entity each; those of all classes follow
 * from the members of all policies.
 */

const fingerprints = new WeakMap<MapPolicy, Fingerprint>();

function policyFingerprint(policy: MapPolicy): Fingerprint {
  const cached = fingerprints.get(policy);
  if (cached) return cached;
  const fingerprint = fingerprintOf(policy.kind, policy.type ?? '', policy.id);
  fingerprints.set(policy, fingerprint);
  return fingerprint;
}

/** Gives the key of a class. */
export function keyOfClass(scope: MapScope, classes: EntityClasses, number: number): string {
  const ordinal = classes.representatives[number] ?? 0;
  const textIn = (state: 'before' | 'after'): string =>
    textOf(sumOf(scope.policiesOf(classes.kind, ordinal, state).map(policyFingerprint)));
  return keyOf(classes, number, textIn('before'), textIn('after'));
}

/** Gives the class with the key. */
export function* classWithKey(
  scope: MapScope,
  classes: EntityClasses,
  key: string,
): Sliced<number | undefined> {
  const { kind, classOf, representatives, count } = classes;
  const after = new Fingerprints(count);
  const before = scope.isPair ? new Fingerprints(count) : after;
  const first = Bitset.of(representatives);
  yield* eachSliced(scope.sidesOf(kind), 1, ({ policy, positions }) => {
    const sum = sumOf(positions.flatMap((i) => scope.policies[i] ?? []).map(policyFingerprint));
    const members = scope.members(kind, policy);
    after.add(members.after.clone().and(first), classOf, sum);
    if (before !== after) before.add(members.before.clone().and(first), classOf, sum);
  });
  for (let number = 0; number < count; number += 1) {
    if (keyOf(classes, number, before.text(number), after.text(number)) === key) return number;
    if (number % 256 === 255) yield;
  }
  return undefined;
}

const keyOf = (classes: EntityClasses, number: number, before: string, after: string): string =>
  keyFrom(classes.kind, classes.changeOf(number), before, after);
