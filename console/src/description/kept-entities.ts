import { description, type Kind } from './description.js';

/* The entities that the controller makes, changes and deletes with others. */

type Values = Readonly<Record<string, unknown>>;

/** Whether callers can change anything of an entity, if they may. */
export function isEditable(kind: Kind, entity: Values): boolean {
  const members = Object.keys(description.inputs[kind.updateInput ?? ''] ?? {});
  const keptNames = keptMembers(kind, entity);
  return keptNames.length === 0 || members.some((name) => !keptNames.includes(name));
}

/** The members that an entity has from the one with which the controller keeps it. */
export const keptMembers = (kind: Kind, entity: Values): readonly string[] =>
  isKept(kind, entity) ? (kind.keptWith?.members ?? []) : [];

/** The members that tell whether the controller keeps an entity. */
export const tellingMembers = ({ keptWith }: Kind): readonly string[] =>
  Object.keys(keptWith?.kept ?? {});

/** Why no caller deletes an entity. */
export const DELETION_OBSTACLES = ['keeper', 'system', 'firstAdmin'] as const;
type DeletionObstacle = (typeof DELETION_OBSTACLES)[number];

/** Only the controller deletes what it has made itself, and nobody the first administrator. */
export function deletionObstacle(kind: Kind, entity: Values): DeletionObstacle | undefined {
  if (isKept(kind, entity)) return 'keeper';
  if (entity.isSystem === true) return 'system';
  return entity.isDefaultAdmin === true ? 'firstAdmin' : undefined;
}

/** The members that tell whether callers can delete an entity. */
export const membersOfDeletion = (kind: Kind): readonly string[] =>
  ['isSystem', 'isDefaultAdmin', ...tellingMembers(kind)].filter(
    (name) => name in (description.types[kind.type] ?? {}),
  );

/** Whether an entity with these values has one of the kind that the controller keeps with it. */
export const bringsKept = (kind: Kind, type: string, values: Values): boolean =>
  kind.keptWith?.type === type && hasValues(values, kind.keptWith.madeFor);

const isKept = ({ keptWith }: Kind, entity: Values): boolean =>
  keptWith !== undefined && hasValues(entity, keptWith.kept);

const hasValues = (entity: Values, values: Values): boolean =>
  Object.entries(values).every(([name, value]) => valueOf(entity[name]) === value);

/** References have their ids. */
const valueOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
