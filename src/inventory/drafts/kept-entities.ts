import { isKept } from '../../kernel/declare/resource.js';
import { attributeOf } from '../../kernel/declare/rows.js';
import { isWritable } from '../../kernel/declare/attribute.js';
import { defaultOf } from '../../kernel/write/check-input.js';
import { obstacle, obstacleAbout, type RevertObstacle } from './revert-obstacle.js';
import { isSame } from './logged-entity.js';
import { hasKeptAfter, type ChangesByEntity } from './changes-by-entity.js';
import { keptAttributes, type Reverted, type Undoing } from './undoing.js';

/*
 * Entities that the controller makes, changes and deletes with others: the identity and the policy
 * of a tunneler-enabled router, and rows that are deleted with their owner.
 */

/** Adapts a change to what the other changes of the reversal bring with them. */
export function adaptedToOwners(reverted: Reverted, planned: ChangesByEntity): Reverted {
  const { entity, undoing, obstacles } = reverted;
  if (!undoing)
    return isDeletedWithOwner(reverted, planned) ? { ...reverted, obstacles: [] } : reverted;
  const { keptWith } = undoing.resource.options;
  const state = entity.target ?? undoing.present ?? {};
  if (!keptWith || !isKept(undoing.resource.options, state)) return reverted;
  const attributes = keptAttributes(undoing.resource, state);
  const keeper = planned.find(keptWith.resource, entity.id);
  const adapted =
    undoing.operation === 'update'
      ? withoutKept(undoing, attributes, keeper)
      : broughtByKeeper(undoing, attributes, keeper && hasKeptAfter(keeper, keptWith));
  return { ...reverted, ...adapted, obstacles: [...obstacles, ...adapted.obstacles] };
}

type Adapted = Pick<Reverted, 'undoing' | 'obstacles'>;

/** Leaves out the attributes that the change of the other entity sets. */
function withoutKept(
  undoing: Undoing,
  keptAttributeNames: readonly string[],
  keeper: Undoing | undefined,
): Adapted {
  const own = Object.entries(undoing.values).filter(([name]) => !keptAttributeNames.includes(name));
  const missing = keptAttributeNames.filter(
    (name) => name in undoing.values && !isSame(keeper?.values[name], undoing.values[name]),
  );
  return {
    undoing: own.length === 0 ? undefined : { ...undoing, values: Object.fromEntries(own) },
    obstacles: obstacleAbout('KEPT_BY_CONTROLLER', 'follows its router', missing),
  };
}

/** Leaves the creation or deletion to the change of the other entity, and sets what it does not. */
function broughtByKeeper(
  undoing: Undoing,
  keptAttributeNames: readonly string[],
  isBrought: boolean | undefined,
): Adapted {
  const isCreation = undoing.operation === 'create';
  if (isBrought !== isCreation) return { undoing: undefined, obstacles: [KEPT] };
  if (!isCreation) return NOTHING;
  // The controller makes it with default values.
  const own = Object.entries(undoing.values).filter(([name, value]) => {
    const attribute = undoing.resource.attributes.get(name);
    return (
      attribute !== undefined &&
      isWritable(attribute, 'update') &&
      !keptAttributeNames.includes(name) &&
      !isSame(value, defaultOf(attribute))
    );
  });
  if (own.length === 0) return NOTHING;
  return {
    undoing: {
      ...undoing,
      operation: 'update',
      values: Object.fromEntries(own),
      isBrought: true,
    },
    obstacles: [],
  };
}

const NOTHING: Adapted = { undoing: undefined, obstacles: [] };

export const KEPT: RevertObstacle = obstacle(
  'KEPT_BY_CONTROLLER',
  'the controller makes and deletes it with its router',
);

/** Whether an entity of a type without writes goes with one that the reversal deletes. */
function isDeletedWithOwner({ entity, obstacles }: Reverted, planned: ChangesByEntity): boolean {
  const { resource, target, last } = entity;
  if (!resource || target !== null || obstacles.length === 0) return false;
  return [...resource.attributes.values()].some(({ name, type }) => {
    if (type.kind !== 'reference' || type.onDelete !== 'cascade') return false;
    const owner = attributeOf(last.after ?? {}, name);
    return typeof owner === 'string' && planned.find(type.target, owner)?.operation === 'delete';
  });
}
