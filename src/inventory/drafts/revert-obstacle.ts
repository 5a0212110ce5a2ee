import {
  attribute,
  described,
  id,
  list,
  oneOf,
  text,
  type ValueOf,
} from '../../kernel/declare/attribute.js';

const KIND = oneOf(
  'RevertObstacleKind',
  {
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
  },
  'A reason why a change can not be undone exactly.',
);

@described('A reason why an entity does not come back exactly to its state before.')
export class RevertObstacle {
  @attribute(KIND, { description: 'The kind of reason.' })
  readonly kind!: ValueOf<typeof KIND>;

  @attribute(text(), { description: 'The reason in one sentence.' })
  readonly text!: string;

  @attribute(list(text()), { description: 'The attributes that it is about.' })
  readonly fields!: readonly string[];

  @attribute(list(id()), {
    description:
      'Further changes of the log that it is about, as far as the caller may read them; add them to `ids` to undo them as well.',
  })
  readonly changeIds!: readonly string[];
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
