import { nounWithArticle } from '../../base/names.js';
import type { JsonObject } from '../../base/row.js';
import {
  isStored,
  isWritable,
  type Attribute,
  type AttributeType,
} from '../../kernel/declare/attribute.js';
import { isKept, storedAttributes, type Resource } from '../../kernel/declare/resource.js';
import { defaultOf, isOfOtherKind } from '../../kernel/write/check-input.js';
import { isSame, valueAfter, type LoggedEntity } from './logged-entity.js';
import { obstacle, obstacleAbout, type RevertObstacle } from './revert-obstacle.js';

/** A change that brings one entity back to its state before. */
export interface Undoing {
  readonly resource: Resource;
  readonly id: string;
  readonly operation: 'create' | 'update' | 'delete';
  /** The values to set, by attribute; empty for a deletion. */
  readonly values: Readonly<JsonObject>;
  /** The present revision; null if there is no entity. */
  readonly revision: number | null;
  /** The present state, without large values; undefined if there is no entity. */
  readonly present: Readonly<JsonObject> | undefined;
  /** Whether the change of another entity creates the entity before. */
  readonly isBrought?: boolean;
}

/** How an entity comes back to its state before, and what remains different. */
export interface Reverted {
  readonly entity: LoggedEntity;
  /** The present name of the entity, or that before. */
  readonly name: string | null;
  /** Undefined if nothing is to be done, or nothing can be done. */
  readonly undoing: Undoing | undefined;
  readonly obstacles: readonly RevertObstacle[];
}

/** Finds the change that undoes the changes of an entity. */
export function revertedEntity(entity: LoggedEntity, present: JsonObject | undefined): Reverted {
  const name = present?.name ?? entity.target?.name;
  return {
    entity,
    name: typeof name === 'string' ? name : null,
    ...undone(entity, present),
  };
}

type Undone = Omit<Reverted, 'entity' | 'name'>;

const withoutChange = (...obstacles: RevertObstacle[]): Undone => ({
  undoing: undefined,
  obstacles,
});

function undone(entity: LoggedEntity, present: JsonObject | undefined): Undone {
  const operation = operationOf(entity, present);
  if (operation === undefined) return withoutChange();
  if (typeof operation !== 'string') return withoutChange(operation);
  const { resource } = entity;
  if (resource?.options.isDrafted !== true) return withoutWrite(entity, present);
  const by = { create: created, update: updated, delete: deleted }[operation];
  return by(entity, resource, present ?? {});
}

/** Gives the operation, or the reason why there is none; undefined if nothing is to be done. */
function operationOf(
  { target, isTargetKnown, last }: LoggedEntity,
  present: JsonObject | undefined,
): Undoing['operation'] | RevertObstacle | undefined {
  const isGone = last.operation === 'delete';
  if (!isTargetKnown) return obstacle('NOT_IN_LOG', 'the log does not hold the state before');
  if (target === null) return present && !isGone ? 'delete' : undefined;
  if (present) {
    return isGone ? obstacle('ID_IN_USE', 'an entity with this id was created again') : 'update';
  }
  return isGone ? 'create' : obstacle('DELETED_SINCE', 'the entity was deleted since');
}

function withoutWrite(
  { target, altered, type }: LoggedEntity,
  present: JsonObject | undefined,
): Undone {
  const isBack =
    target !== null && present && altered.every((name) => isSame(target[name], present[name]));
  if (isBack) return withoutChange();
  return withoutChange(
    obstacle('NO_SUCH_WRITE', `lists of changes can not write ${nounWithArticle(type)}`),
  );
}

function deleted(
  { last, alteredBetween, id }: LoggedEntity,
  resource: Resource,
  present: JsonObject,
): Undone {
  const changed = loggedAttributes(resource).filter(
    (a) =>
      !isOfOtherKind(a, present) &&
      (alteredBetween.includes(a.name) ||
        !isSame(valueAfter(resource, last, a.name), present[a.name])),
  );
  return {
    undoing: {
      ...{ resource, id, operation: 'delete', values: {} },
      ...presentOf(resource, present),
    },
    obstacles: obstacleAbout('CHANGED_SINCE', 'was changed since', namesOf(changed)),
  };
}

function created({ id, target }: LoggedEntity, resource: Resource): Undone {
  const state = target ?? {};
  const stored = [...resource.attributes.values()].filter(
    (a) => isStored(a) && !isOfOtherKind(a, state),
  );
  const writable = stored.filter((a) => isWritable(a, 'create'));
  const values = writable
    .map(({ name }) => [name, state[name]] as const)
    .filter(([, value]) => value !== undefined && value !== null);
  const lost = loggedAttributes(resource).filter(
    (a) =>
      !isWritable(a, 'create') &&
      !keptAttributes(resource, state).includes(a.name) &&
      !isSame(state[a.name], defaultOf(a)),
  );
  return {
    undoing: {
      ...{ resource, id, operation: 'create', present: undefined, revision: null },
      values: Object.fromEntries(values),
    },
    obstacles: [
      ...obstacleAbout('NOT_WRITABLE', 'no write sets it', namesOf(lost)),
      ...obstacleAbout('NOT_IN_LOG', 'the log does not hold it', namesOf(stored.filter(isSecret))),
    ],
  };
}

/** Sets exactly the attributes that the changes altered. */
function updated(
  { id, target, altered, alteredBetween, last }: LoggedEntity,
  resource: Resource,
  present: JsonObject,
): Undone {
  const different = altered.filter((name) => !isSame(target?.[name], present[name]));
  const attributes = different.flatMap((name) => resource.attributes.get(name) ?? []);
  const relevant = attributes.filter((a) => isRestored(a) && !isOfOtherKind(a, present));
  const writable = relevant.filter((a) => isWritable(a, 'update'));
  // Members beside the attributes of an entity have writes of their own.
  const others = different.filter((name) => !resource.attributes.has(name));
  const unwritable = [...namesOf(relevant.filter((a) => !writable.includes(a))), ...others];
  const conflicts = writable.filter(
    (a) =>
      alteredBetween.includes(a.name) ||
      !isSame(valueAfter(resource, last, a.name), present[a.name]),
  );
  const values = Object.fromEntries(writable.map(({ name }) => [name, target?.[name] ?? null]));
  return {
    undoing:
      writable.length === 0
        ? undefined
        : { resource, id, operation: 'update', values, ...presentOf(resource, present) },
    obstacles: [
      ...obstacleAbout('NOT_WRITABLE', 'no write sets it', unwritable),
      ...obstacleAbout('CHANGED_SINCE', 'was changed since', namesOf(conflicts)),
    ],
  };
}

/** The attributes that an entity has from another one with which the controller keeps it. */
export function keptAttributes({ options }: Resource, state: JsonObject): readonly string[] {
  return isKept(options, state) ? (options.keptWith?.attributes ?? []) : [];
}

/** The attributes that the log holds and that a change of an entity alters. */
export const loggedAttributes = (resource: Resource): Attribute[] =>
  storedAttributes(resource).filter((a) => a.unlogged !== true && isRestored(a));

/** Times and counts of writes stay, and values that follow from others come with these. */
const isRestored = (a: Attribute): boolean =>
  a.isStamp !== true && a.follows === undefined && a.name !== 'id';

/** The attributes that no later report restores: secrets, unlike the facts that each login reports. */
const isSecret = (a: Attribute): boolean =>
  a.unlogged === true && (a.hidden === true || a.secret !== undefined || isWritable(a, 'create'));

const namesOf = (attributes: readonly Attribute[]): string[] => attributes.map(({ name }) => name);

const LARGE: readonly AttributeType['kind'][] = ['map', 'json', 'object', 'objects'];

function presentOf(
  { attributes }: Resource,
  state: JsonObject,
): Pick<Undoing, 'present' | 'revision'> {
  const small = Object.entries(state).filter(
    ([name]) => !LARGE.includes(attributes.get(name)?.type.kind ?? 'json'),
  );
  const { revision } = state;
  return {
    present: Object.fromEntries(small),
    revision: typeof revision === 'number' ? revision : null,
  };
}
