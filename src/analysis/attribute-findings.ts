import { byteSorted, compareBytes } from '../base/byte-order.js';
import { ENTITY_KINDS, POLICY_KINDS } from '../policy/index.js';
import type { Bitset, EntityKind, PolicyKind, Side } from '../policy/index.js';
import { isHoldable, roleTexts, rolesOn, selectedBy, sidesOf } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { MOST_ENTITIES, NAMES } from './finding.js';
import type { Finding, FindingEntity } from './finding.js';
import { nearDuplicates } from './near-duplicates.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';
import type { WhatIfChange } from './what-if-change.js';

/** Attributes that look like errors of typing: used once, or almost the same as another one. */
export function* attributeFindings(model: AccessModel): Sliced<Finding[]> {
  const found: Finding[] = [];
  for (const kind of ENTITY_KINDS) {
    const attributes = yield* attributesOf(model, kind);
    for (const attribute of attributes.values()) found.push(...usedOnce(model, kind, attribute));
    yield;
    for (const [a, b] of nearDuplicates(attributes.keys())) {
      const [left, right] = [attributes.get(a), attributes.get(b)];
      if (left && right) found.push(nearDuplicate(model, kind, left, right));
    }
    yield;
  }
  return found;
}

interface Naming {
  readonly kind: PolicyKind;
  readonly id: string;
  readonly side: Side;
}

interface Attribute {
  readonly name: string;
  readonly holders: number;
  readonly policies: Naming[];
}

const usesOf = ({ holders, policies }: Attribute): number => holders + policies.length;

function* attributesOf(model: AccessModel, kind: EntityKind): Sliced<Map<string, Attribute>> {
  const found = new Map<string, Attribute>();
  const take = (name: string): Attribute => {
    const known = found.get(name);
    if (known) return known;
    const made = { name, holders: holdersOf(model, kind, name).popcount(), policies: [] };
    found.set(name, made);
    return made;
  };
  yield* eachSliced(model.attributesInUse(kind), 32, take);
  for (const policyKind of POLICY_KINDS) {
    const side = sidesOf(policyKind).find((s) => selectedBy(policyKind, s) === kind);
    if (!side) continue;
    yield* eachSliced([...model.policies(policyKind)], 64, (policy) => {
      for (const name of new Set(rolesOn(policy, side).attributes)) {
        take(name).policies.push({ kind: policyKind, id: policy.id, side });
      }
    });
  }
  return found;
}

const holdersOf = (model: AccessModel, kind: EntityKind, name: string): Bitset =>
  model.union(kind, [{ roles: { all: false, attributes: [name], ids: [] }, semantic: 'AnyOf' }]);

/** A role that is used once is known as one that matches nothing. */
function usedOnce(model: AccessModel, kind: EntityKind, attribute: Attribute): Finding[] {
  const { name, holders } = attribute;
  if (holders !== 1 || usesOf(attribute) !== 1) return [];
  return model.idsOf(kind, holdersOf(model, kind, name)).map((id) => ({
    kind: 'ATTRIBUTE_USED_ONCE',
    severity: 'LOW',
    entities: [{ kind, id }],
    entityCount: 1,
    about: name,
    text: `The attribute ${name} is on the ${NAMES[kind]} ${id} alone, and no policy names it.`,
    changes: [withAttributes(model, kind, id, name, [])],
  }));
}

/** One that no entity can hold is the error; else the one that is used less. */
const errorFirst = (a: Attribute, b: Attribute): number =>
  Number(isHoldable(a.name)) - Number(isHoldable(b.name)) ||
  usesOf(a) - usesOf(b) ||
  -compareBytes(a.name, b.name);

function nearDuplicate(model: AccessModel, kind: EntityKind, a: Attribute, b: Attribute): Finding {
  const [error, meant] = errorFirst(a, b) < 0 ? [a, b] : [b, a];
  const holders = byteSorted(model.idsOf(kind, holdersOf(model, kind, error.name)));
  const policies = error.policies.toSorted(
    (x, y) => compareBytes(x.kind, y.kind) || compareBytes(x.id, y.id),
  );
  const entities: FindingEntity[] = [
    ...holders.map((id) => ({ kind, id })),
    ...policies.map((policy) => ({ kind: policy.kind, id: policy.id })),
  ];
  return {
    kind: 'NEAR_DUPLICATE_ATTRIBUTE',
    severity: 'LOW',
    entities: entities.slice(0, MOST_ENTITIES),
    entityCount: entities.length,
    about: error.name,
    similarTo: meant.name,
    attributesOf: kind,
    text: `The attribute ${error.name} (uses: ${usesOf(error)}) of the kind ${NAMES[kind]} is almost ${meant.name} (uses: ${usesOf(meant)}).`,
    changes:
      entities.length > MOST_ENTITIES
        ? []
        : [
            ...holders.map((id) => withAttributes(model, kind, id, error.name, [meant.name])),
            ...policies.map((policy) => renamed(model, policy, error.name, meant.name)),
          ],
  };
}

function withAttributes(
  model: AccessModel,
  kind: EntityKind,
  id: string,
  removed: string,
  added: readonly string[],
): WhatIfChange {
  const held = model.entity(kind, id)?.attributes ?? [];
  const attributes = byteSorted([...held.filter((name) => name !== removed), ...added]);
  return { kind, id, update: { attributes } };
}

function renamed(model: AccessModel, naming: Naming, from: string, to: string): WhatIfChange {
  const { kind, id, side } = naming;
  const policy = model.policy(kind, id);
  const roles = policy ? roleTexts(rolesOn(policy, side)) : [];
  const changed = roles.map((role) => (role === `#${from}` ? `#${to}` : role));
  return { kind, id, update: { roles: { [side]: byteSorted(changed) } } };
}
