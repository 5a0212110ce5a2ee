import { releaseGroupIn } from '../../access/directories/index.js';
import type { JsonObject } from '../../base/row.js';
import { attribute, map, reference, text } from '../../kernel/declare/attribute.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';
import { Entity } from '../entity.js';

async function before({ verb, ctx, tx, current }: Write<'DirectoryGroup'>): Promise<void> {
  if (verb !== 'delete') return;
  await releaseGroupIn(ctx, tx, present(current, 'directoryId', 'roleAttribute'));
}

@resource({
  description:
    'A group of a directory. Its members have its role attribute by role assignments, whose source is the directory. Its deletion ends these assignments.',
  plural: 'DirectoryGroups',
  path: 'directory-groups',
  permission: 'admin',
  verbs: ['delete'],
  unique: [['directoryId', 'roleAttribute']],
  hooks: { before },
})
export class DirectoryGroup extends Entity {
  @attribute(reference('Directory', { onDelete: 'restrict' }), {
    description: 'Id of the directory.',
    column: { index: false },
    write: 'create',
    required: true,
    filter: true,
  })
  directoryId!: string;

  @attribute(text({ min: 1 }), {
    description: 'Its name at the provider.',
    required: true,
    filter: true,
  })
  displayName!: string;

  @attribute(text({ min: 1 }), {
    description: 'The role attribute of its members: the prefix of the directory and its name.',
    required: true,
    filter: true,
  })
  roleAttribute!: string;

  @attribute(text(), {
    description: 'The id that the provider gives the group.',
    nullable: true,
    filter: true,
  })
  externalId!: string | null;

  @attribute(map(), {
    description: 'The other attributes that the provider has written.',
    default: {},
  })
  attributes!: JsonObject;
}
