import {
  approvedValue,
  ENTITY_KINDS,
  isInForce,
  isPending,
  isPolicyKind,
  POLICY_KINDS,
} from '../../../kernel/policy/index.js';
import type { EntityKind, IndexedPolicy, PolicyKind } from '../../../kernel/policy/index.js';
import { allOrdinals, roleTexts, sidesOf, writtenRolesOn } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { heldRow } from './what-if-change.js';
import type { RowChange } from './what-if-change.js';

type Kind = EntityKind | PolicyKind;

/** The rows that differ between two states. */
export class ChangedRows {
  private readonly byKind = new Map<Kind, string[]>();

  add(kind: Kind, id: string): void {
    const ids = this.byKind.get(kind);
    if (ids) ids.push(id);
    else this.byKind.set(kind, [id]);
  }

  ids(kind: Kind): readonly string[] {
    return this.byKind.get(kind) ?? [];
  }

  has(...kinds: readonly Kind[]): boolean {
    return kinds.some((kind) => this.ids(kind).length > 0);
  }
}

/** Gives the candidates that differ between the states; the order of roles does not count. */
export function* changedRows(
  before: AccessModel,
  after: AccessModel,
  candidates: (kind: Kind) => Iterable<string>,
): Sliced<ChangedRows> {
  const changed = new ChangedRows();
  for (const kind of [...ENTITY_KINDS, ...POLICY_KINDS]) {
    yield* eachSliced(candidates(kind), 64, (id) => {
      if (stateOf(before, kind, id) !== stateOf(after, kind, id)) changed.add(kind, id);
    });
  }
  return changed;
}

/** Gives the changes that lead from one model to the other. Only the candidates may differ. */
export function* changesBetween(
  from: AccessModel,
  to: AccessModel,
  candidates = (kind: Kind): Iterable<string> => idsOfBoth(from, to, kind),
): Sliced<RowChange[]> {
  const changed = yield* changedRows(from, to, candidates);
  return [...ENTITY_KINDS, ...POLICY_KINDS].flatMap((kind) =>
    changed.ids(kind).map((id) => heldRow(to, kind, id)),
  );
}

/** Yields ids one by one, because there are many. */
function* idsOfBoth(from: AccessModel, to: AccessModel, kind: Kind): Generator<string> {
  yield* idsOf(from, kind);
  for (const id of idsOf(to, kind)) if (!hasRow(from, kind, id)) yield id;
}

const hasRow = (model: AccessModel, kind: Kind, id: string): boolean =>
  isPolicyKind(kind)
    ? model.policy(kind, id) !== undefined
    : model.ordinalOf(kind, id) !== undefined;

const idsOf = (model: AccessModel, kind: Kind): string[] =>
  isPolicyKind(kind)
    ? [...model.policies(kind)].map(({ id }) => id)
    : model.idsOf(kind, allOrdinals(model, kind));

function stateOf(model: AccessModel, kind: Kind, id: string): string | undefined {
  if (isPolicyKind(kind)) return policyState(kind, model.policy(kind, id));
  const entity = model.entity(kind, id);
  if (!entity) return undefined;
  return JSON.stringify([isPending(entity), [...approvedValue(entity).attributes].sort()]);
}

function policyState(kind: PolicyKind, policy: IndexedPolicy | undefined): string | undefined {
  if (!policy) return undefined;
  const roles = sidesOf(kind).map((side) =>
    [...new Set(roleTexts(writtenRolesOn(policy, side)))].sort(),
  );
  return JSON.stringify([policy.type, policy.semantic, isInForce(policy), roles]);
}
