import { byteSorted } from '../../../base/byte-order.js';
import { member, PENDING, pendingValue, selectedBy } from '../../../kernel/policy/index.js';
import type { EntityValue, IndexedPolicy, PolicyKind, Side } from '../../../kernel/policy/index.js';
import { rolesOn, sidesOf } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import type { IsSystem } from './finding.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';

/** A policy whose removal makes no difference, with the present entities and with any others. */
interface ImpliedPolicy {
  readonly id: string;
  /** A policy that grants all of it on no more checks, and that no third policy implies. */
  readonly by: string;
  /** Whether both grant exactly the same. */
  readonly isDuplicate: boolean;
}

/** The policies of each kind that another one implies, found once for all that ask. */
export class ImpliedPolicies {
  readonly #byKind = new Map<PolicyKind, readonly ImpliedPolicy[]>();

  constructor(
    private readonly model: AccessModel,
    private readonly isSystem: IsSystem,
  ) {}

  *of(kind: PolicyKind): Sliced<readonly ImpliedPolicy[]> {
    const cached = this.#byKind.get(kind);
    if (cached) return cached;
    const implied = yield* impliedPolicies(this.model, kind, (id) => this.isSystem(kind, id));
    this.#byKind.set(kind, implied);
    return implied;
  }
}

/**
 * Gives the policies of a kind that another one implies. More attributes never remove a member, so
 * one side contains another when it contains its smallest members: for each id an entity with
 * only that id, for each attribute (for AllOf, the whole list) an unnamed entity with only that.
 * System policies are left out, because they can not be deleted.
 */
function* impliedPolicies(
  model: AccessModel,
  kind: PolicyKind,
  isSystem: (id: string) => boolean,
): Sliced<ImpliedPolicy[]> {
  const impliersById = new Map<string, Set<string>>();
  yield* eachSliced([...model.policies(kind)], 16, (policy) => {
    impliersById.set(policy.id, impliers(model, kind, policy));
  });
  const implications = new Implications(impliersById);
  const implied: ImpliedPolicy[] = [];
  yield* eachSliced(impliersById.keys(), 64, (id) => {
    if (isSystem(id)) return;
    const top = implications.topAbove(id);
    const by = implications.keeperOf(top ?? id, isSystem);
    if (by !== id) implied.push({ id, by, isDuplicate: top === undefined });
  });
  return implied;
}

/** Which policies imply which. */
class Implications {
  readonly #isTop = new Map<string, boolean>();

  constructor(private readonly impliersById: ReadonlyMap<string, ReadonlySet<string>>) {}

  /** Gives the first policy that implies more than the given one, and that no third one implies. */
  topAbove(id: string): string | undefined {
    const above = [...this.impliersOf(id)].filter((other) => !this.isEqual(id, other));
    const [top] = byteSorted(above.filter((other) => this.isTop(other)));
    return top;
  }

  /** Chooses one of equal policies: one that can not be deleted, else the first. */
  keeperOf(id: string, isSystem: (id: string) => boolean): string {
    const others = [...this.impliersOf(id)].filter((other) => this.isEqual(id, other));
    const equals = byteSorted([...others, id]);
    return equals.find(isSystem) ?? equals[0] ?? id;
  }

  private isTop(id: string): boolean {
    const isKnown = this.#isTop.get(id);
    if (isKnown !== undefined) return isKnown;
    const isTop = [...this.impliersOf(id)].every((other) => this.isEqual(id, other));
    this.#isTop.set(id, isTop);
    return isTop;
  }

  /** Of two policies of which the first is implied by the other one. */
  private isEqual(implied: string, other: string): boolean {
    return this.impliersOf(other).has(implied);
  }

  private impliersOf(id: string): ReadonlySet<string> {
    return this.impliersById.get(id) ?? NONE;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Gives the policies that imply the given one; none for a policy that can have no members. */
function impliers(model: AccessModel, kind: PolicyKind, policy: IndexedPolicy): Set<string> {
  const [from, to] = grantingSides(kind);
  const fromMembers = smallestMembers(policy, from);
  const toMembers = smallestMembers(policy, to);
  const [first] = fromMembers;
  if (!first || toMembers.length === 0) return new Set();
  const ids = new Set<string>();
  for (const other of model.policiesWith(kind, from, first)) {
    const isImplier =
      other.id !== policy.id &&
      other.type === policy.type &&
      other.endsByItself !== true &&
      lieIn(fromMembers, other, from) &&
      lieIn(toMembers, other, to) &&
      lieIn(smallestMembers(other, 'postureChecks'), policy, 'postureChecks');
    if (isImplier) ids.add(other.id);
  }
  return ids;
}

/** Gives the two sides that a policy of the kind joins. */
export function grantingSides(kind: PolicyKind): [from: Side, to: Side] {
  const [from, to] = sidesOf(kind).filter((side) => selectedBy(kind, side) !== 'postureCheck');
  if (!from || !to) throw new TypeError(`${kind} joins nothing`);
  return [from, to];
}

const lieIn = (
  entities: readonly EntityValue[],
  { sides, semantic }: IndexedPolicy,
  side: Side,
): boolean => {
  const roles = sides[side];
  return entities.every((entity) => roles !== undefined && member(roles, semantic, entity));
};

/** No entity has the empty id, so it stands for an entity that no role names. */
const UNNAMED_ID = '';

function smallestMembers(policy: IndexedPolicy, side: Side): EntityValue[] {
  const { all, ids, attributes } = rolesOn(policy, side);
  if (all) return [{ id: UNNAMED_ID, attributes: [] }];
  const namedMembers = ids.map((id): EntityValue => ({ id, attributes: [] }));
  const lists = policy.semantic === 'AllOf' ? [attributes] : attributes.map((name) => [name]);
  return [
    ...namedMembers,
    ...lists.filter((list) => list.length > 0).map((list) => smallestHolder(list, side)),
  ];
}

/** Nothing but `#pending` selects identities that are pending. */
function smallestHolder(attributes: readonly string[], side: Side): EntityValue {
  const isOfPending = side === 'identities' && attributes.every((name) => name === PENDING);
  return { id: UNNAMED_ID, ...(isOfPending ? pendingValue({ attributes }) : { attributes }) };
}
