import { attribute, reference, text, time } from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import { Entity } from '../entity.js';

const MAX_NOTE_LENGTH = 200;

@resource({
  description:
    'A secret by which the provider of a directory writes users and groups. The controller stores its hash alone, and shows the secret once.',
  plural: 'DirectoryTokens',
  path: 'directory-tokens',
  permission: 'admin',
  verbs: ['delete'],
  isRecord: true,
  unique: [['tokenHash']],
})
export class DirectoryToken extends Entity {
  @attribute(reference('Directory', { onDelete: 'cascade' }), {
    description: 'Id of the directory.',
    column: { index: 'btree' },
    write: 'create',
    required: true,
    filter: true,
    missingField: 'directoryId',
  })
  directoryId!: string;

  @attribute(text({ max: MAX_NOTE_LENGTH }), {
    description: 'Where it is used.',
    write: 'create',
    nullable: true,
    filter: true,
  })
  note!: string | null;

  @attribute(text(), {
    description: 'The SHA-256 of the secret.',
    write: 'create',
    required: true,
    hidden: true,
    unlogged: true,
  })
  tokenHash!: string;

  @attribute(time(), {
    description: 'When it stops to count; null: never.',
    write: 'create',
    nullable: true,
    filter: true,
  })
  expiresAt!: Date | null;

  @attribute(time(), {
    description: 'When it was last used, to the minute; null: never.',
    write: 'never',
    nullable: true,
    unlogged: true,
  })
  lastUsedAt!: Date | null;
}
