import { releaseUserIn } from '../../access/directories/index.js';
import type { JsonObject } from '../../base/row.js';
import { attribute, bool, map, reference, text, time } from '../../kernel/declare/attribute.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';
import { Entity } from '../entity.js';

async function before({ verb, ctx, tx, current }: Write<'DirectoryUser'>): Promise<void> {
  if (verb !== 'delete') return;
  await releaseUserIn(ctx, tx, present(current, 'directoryId', 'identityId'));
}

/** It has the id of its identity. */
@resource({
  description:
    'A user whom the provider of a directory has created, with the identity that belongs to it. Its deletion releases the identity: the groups of the directory give it nothing any more, and administrators decide on the rest.',
  plural: 'DirectoryUsers',
  path: 'directory-users',
  permission: 'admin',
  verbs: ['delete'],
  unique: [['directoryId', 'userKey']],
  storage: { indexes: [{ on: ['directoryId', 'externalId'] }, { on: ['deletedAt'] }] },
  hooks: { before },
})
export class DirectoryUser extends Entity {
  @attribute(reference('Directory', { onDelete: 'restrict' }), {
    description: 'Id of the directory.',
    column: { index: false },
    write: 'create',
    required: true,
    filter: true,
  })
  directoryId!: string;

  @attribute(reference('Identity', { onDelete: 'cascade' }), {
    description: 'Id of the identity.',
    write: 'create',
    required: true,
    filter: true,
  })
  identityId!: string;

  @attribute(text({ min: 1 }), {
    description: 'The user name, which is the name of the identity.',
    required: true,
    filter: true,
  })
  userName!: string;

  @attribute(text({ min: 1 }), {
    description: 'The user name in lower case: providers do not distinguish the case.',
    required: true,
    hidden: true,
  })
  userKey!: string;

  @attribute(text(), {
    description: 'The id that the provider gives the user.',
    nullable: true,
    filter: true,
  })
  externalId!: string | null;

  @attribute(bool(), {
    description: 'Whether the provider lets the user log in.',
    required: true,
    filter: true,
  })
  active!: boolean;

  @attribute(time(), {
    description:
      'When the directory disabled the identity. It enables the identity only when nobody has disabled it otherwise.',
    nullable: true,
    hidden: true,
  })
  identityDisabledAt!: Date | null;

  @attribute(time(), {
    description:
      'When somebody else disabled the identity for a time that was not over when the directory disabled it, or that began later.',
    nullable: true,
    hidden: true,
  })
  otherDisabledAt!: Date | null;

  @attribute(time(), {
    description:
      'The end of that time: when the directory enables the identity, it stays disabled until then.',
    nullable: true,
    hidden: true,
  })
  otherDisabledUntil!: Date | null;

  @attribute(map(), {
    description: 'The other attributes that the provider has written.',
    default: {},
  })
  attributes!: JsonObject;

  @attribute(time(), {
    description:
      'When the provider deleted the user; the identity is disabled, and deleted after the grace time.',
    nullable: true,
    filter: true,
  })
  deletedAt!: Date | null;
}
