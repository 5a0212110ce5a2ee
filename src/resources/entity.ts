import type { JsonObject } from '../base/row.js';
import { attribute, bool, int, map, text, time } from '../kernel/declare/attribute.js';

/** The attributes of every stored entity. */
export abstract class Entity {
  @attribute(text(), {
    description: 'Opaque id, unique within its collection.',
    write: 'never',
    filter: true,
  })
  id!: string;

  @attribute(time(), {
    description: 'When it was created.',
    write: 'never',
    filter: true,
    isStamp: true,
  })
  createdAt!: Date;

  @attribute(time(), {
    description: 'When it was last changed.',
    write: 'never',
    filter: true,
    isStamp: true,
  })
  updatedAt!: Date;

  @attribute(map('tag'), {
    description: 'Free names with values of null, string, number or boolean.',
    filter: true,
    default: {},
  })
  tags!: JsonObject;

  @attribute(bool(), {
    description: 'Made and kept by the controller itself.',
    write: 'never',
    filter: true,
    graphOnly: true,
  })
  isSystem!: boolean;

  @attribute(int(), {
    description: 'Counts the changes; give it as `ifRevision` to refuse a lost update.',
    write: 'never',
    graphOnly: true,
    isStamp: true,
    column: { default: 1 },
  })
  revision!: number;
}

/** An entity with a name that is unique in its collection. */
export abstract class NamedEntity extends Entity {
  @attribute(text({ min: 1 }), {
    description: 'Unique in its collection, compared by bytes.',
    required: true,
    filter: true,
  })
  name!: string;
}
