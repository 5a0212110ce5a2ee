import { byteSorted, compareBytes } from '../../../base/byte-order.js';
import {
  ENTITY_KINDS,
  PENDING,
  POLICY_KINDS,
  selectedBy,
  writtenAttributes,
} from '../../../kernel/policy/index.js';
import type { Bitset, EntityKind, PolicyKind, Side } from '../../../kernel/policy/index.js';
import { isHoldable, roleTexts, sidesOf, writtenRolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { MAX_ATTRIBUTES, MAX_ENTITIES, NAMES } from './finding.js';
import type { FoundFinding, FoundEntity } from './finding.js';
import { nearDuplicates } from './near-duplicates.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import type { WhatIfChange } from '../model/what-if-change.js';

/** Finds attributes that look like typing errors: used once, or almost equal to another one. */
export function* attributeFindings(model: AccessModel): Sliced<FoundFinding[]> {
  const findings: FoundFinding[] = [];
  for (const kind of ENTITY_KINDS) {
    const attributes = yield* attributesOf(model, kind);
    for (const attribute of attributes.values()) findings.push(...usedOnce(model, kind, attribute));
    yield;
    for (const [a, b] of nearDuplicates(attributes.keys())) {
      const [left, right] = [attributes.get(a), attributes.get(b)];
      if (left && right) findings.push(nearDuplicate(model, kind, left, right));
    }
    yield;
  }
  return findings;
}

interface RoleUse {
  readonly kind: PolicyKind;
  readonly id: string;
  readonly side: Side;
}

interface Attribute {
  readonly name: string;
  readonly holders: number;
  readonly policies: RoleUse[];
}

const usesOf = ({ holders, policies }: Attribute): number => holders + policies.length;

function* attributesOf(model: AccessModel, kind: EntityKind): Sliced<Map<string, Attribute>> {
  const attributes = new Map<string, Attribute>();
  const getOrAdd = (name: string): Attribute => {
    const existing = attributes.get(name);
    if (existing) return existing;
    const attribute = { name, holders: holdersOf(model, kind, name).popcount(), policies: [] };
    attributes.set(name, attribute);
    return attribute;
  };
  yield* eachSliced(model.attributesInUse(kind), 32, getOrAdd);
  for (const policyKind of POLICY_KINDS) {
    const side = sidesOf(policyKind).find((s) => selectedBy(policyKind, s) === kind);
    if (!side) continue;
    yield* eachSliced([...model.policies(policyKind)], 64, (policy) => {
      for (const name of new Set(writtenRolesOn(policy, side).attributes)) {
        getOrAdd(name).policies.push({ kind: policyKind, id: policy.id, side });
      }
    });
  }
  // Identities have it until their approval, and no edit gives it to them or takes it away.
  if (kind === 'identity') attributes.delete(PENDING);
  return attributes;
}

const holdersOf = (model: AccessModel, kind: EntityKind, name: string): Bitset =>
  model.union(kind, [{ roles: { all: false, attributes: [name], ids: [] }, semantic: 'AnyOf' }]);

/** A role that is used once is reported as a role that matches nothing. */
function usedOnce(model: AccessModel, kind: EntityKind, attribute: Attribute): FoundFinding[] {
  const { name, holders } = attribute;
  if (holders !== 1 || usesOf(attribute) !== 1) return [];
  return model.idsOf(kind, holdersOf(model, kind, name)).map((id) => ({
    kind: 'ATTRIBUTE_USED_ONCE',
    severity: 'LOW',
    entities: [{ kind, id }],
    entityCount: 1,
    about: name,
    text: `The attribute ${name} is on the ${NAMES[kind]} ${id} alone, and no policy names it.`,
    changes: hasFewAttributes(model, kind, id) ? [withAttributes(model, kind, id, name, [])] : [],
  }));
}

/** Orders the error first: the attribute that no entity can hold, else the less used one. */
const errorFirst = (a: Attribute, b: Attribute): number =>
  Number(isHoldable(a.name)) - Number(isHoldable(b.name)) ||
  usesOf(a) - usesOf(b) ||
  -compareBytes(a.name, b.name);

function nearDuplicate(
  model: AccessModel,
  kind: EntityKind,
  a: Attribute,
  b: Attribute,
): FoundFinding {
  const [error, intended] = errorFirst(a, b) < 0 ? [a, b] : [b, a];
  const holders = byteSorted(model.idsOf(kind, holdersOf(model, kind, error.name)));
  const policies = error.policies.toSorted(
    (x, y) => compareBytes(x.kind, y.kind) || compareBytes(x.id, y.id),
  );
  const entities: FoundEntity[] = [
    ...holders.map((id) => ({ kind, id })),
    ...policies.map((policy) => ({ kind: policy.kind, id: policy.id })),
  ];
  return {
    kind: 'NEAR_DUPLICATE_ATTRIBUTE',
    severity: 'LOW',
    entities: entities.slice(0, MAX_ENTITIES),
    entityCount: entities.length,
    about: error.name,
    similarTo: intended.name,
    attributesOf: kind,
    text: `The attribute ${error.name} (uses: ${usesOf(error)}) of the kind ${NAMES[kind]} is almost ${intended.name} (uses: ${usesOf(intended)}).`,
    changes:
      entities.length > MAX_ENTITIES || !holders.every((id) => hasFewAttributes(model, kind, id))
        ? []
        : [
            ...holders.map((id) => withAttributes(model, kind, id, error.name, [intended.name])),
            ...policies.map((policy) => renamed(model, policy, error.name, intended.name)),
          ],
  };
}

const hasFewAttributes = (model: AccessModel, kind: EntityKind, id: string): boolean =>
  (model.entity(kind, id)?.attributes.length ?? 0) <= MAX_ATTRIBUTES;

function withAttributes(
  model: AccessModel,
  kind: EntityKind,
  id: string,
  removed: string,
  added: readonly string[],
): WhatIfChange {
  const entity = model.entity(kind, id);
  const currentNames = entity ? writtenAttributes(entity) : [];
  const attributes = byteSorted([...currentNames.filter((name) => name !== removed), ...added]);
  return { kind, id, update: { attributes } };
}

function renamed(model: AccessModel, use: RoleUse, from: string, to: string): WhatIfChange {
  const { kind, id, side } = use;
  const policy = model.policy(kind, id);
  const roles = policy ? roleTexts(writtenRolesOn(policy, side)) : [];
  const changed = roles.map((role) => (role === `#${from}` ? `#${to}` : role));
  return { kind, id, update: { roles: { [side]: byteSorted(changed) } } };
}
