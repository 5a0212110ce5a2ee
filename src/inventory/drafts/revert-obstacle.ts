/** Reasons why a change can not be undone exactly, with their meanings. */
export const REVERT_OBSTACLES = {
  CHANGED_SINCE:
    'Other changes altered the same attributes meanwhile; the proposed change overwrites them.',
  DELETED_SINCE: 'The entity does not exist any more.',
  ID_IN_USE: 'A newer entity has the id.',
  VALUE_IN_USE: 'Another entity has a value that must be unique.',
  REFERENCE_GONE: 'It named entities that do not exist any more.',
  NOT_WRITABLE: 'No write sets the attributes to their values before.',
  NOT_IN_LOG: 'The log does not hold the values before, such as those of secrets.',
  NO_SUCH_WRITE: 'Lists of changes can not contain entities of this type.',
  KEPT_BY_CONTROLLER: 'The controller makes, changes and deletes it with its router.',
  ALSO_CHANGED: 'The transaction of its deletion changed entities that named it, too.',
} as const;

export interface RevertObstacle {
  readonly kind: keyof typeof REVERT_OBSTACLES;
  /** The obstacle in one sentence. */
  readonly text: string;
  /** The attributes that it concerns. */
  readonly fields: readonly string[];
  /** Changes of the log that it concerns. */
  readonly changeIds: readonly string[];
}

export const obstacle = (
  kind: RevertObstacle['kind'],
  text: string,
  fields: readonly string[] = [],
  changeIds: readonly string[] = [],
): RevertObstacle => ({ kind, text, fields, changeIds });

/** An obstacle about these attributes; none without any. */
export const obstacleAbout = (
  kind: RevertObstacle['kind'],
  text: string,
  fields: readonly string[],
): RevertObstacle[] =>
  fields.length === 0 ? [] : [obstacle(kind, `${text}: ${fields.join(', ')}`, fields)];
