import {
  attribute,
  int,
  oneOf,
  reference,
  text,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import { childrenOf } from '../child-relations.js';
import { NamedEntity } from '../entity.js';
import { directoryHooks } from './directory-hooks.js';

const MAX_GRACE_MINUTES = 525_600;
const MONTH_MINUTES = 43_200;

const EXTERNAL_ID_SOURCE = oneOf(
  'DirectoryExternalIdSource',
  {
    externalId: 'The external id that the provider gives the user.',
    userName: 'The user name.',
    email: 'The primary e-mail address.',
  },
  'The attribute of a user that becomes the external id of the identity.',
);

@resource({
  description:
    'An identity provider that creates identities and gives them role attributes over SCIM. It writes what it has created itself, and nothing else.',
  plural: 'Directories',
  path: 'directories',
  permission: 'admin',
  exported: false,
  unique: [['roleAttributePrefix']],
  relations: [
    childrenOf('tokens', 'DirectoryToken', 'directoryId', 'The tokens of its provider.'),
    childrenOf('users', 'DirectoryUser', 'directoryId', 'Its users.'),
    childrenOf('groups', 'DirectoryGroup', 'directoryId', 'Its groups.'),
  ],
  hooks: directoryHooks,
})
export class Directory extends NamedEntity {
  @attribute(text({ min: 2, max: 33 }), {
    description:
      'The beginning of the role attributes that its groups give, such as `idp:`; it ends with a colon. Only the directory writes role attributes of identities that begin so.',
    write: 'create',
    required: true,
    filter: true,
  })
  roleAttributePrefix!: string;

  @attribute(EXTERNAL_ID_SOURCE, {
    description: 'What becomes the external id of its identities.',
    default: 'externalId',
    filter: true,
  })
  externalIdSource!: ValueOf<typeof EXTERNAL_ID_SOURCE>;

  @attribute(reference('AuthPolicy', { onDelete: 'restrict' }), {
    description: 'Id of the auth policy of its new identities; blank is `default`.',
    default: 'default',
    filter: true,
  })
  authPolicyId!: string;

  @attribute(int({ min: 0, max: MAX_GRACE_MINUTES }), {
    description:
      'Minutes after which an identity is deleted that the provider has deleted; it is disabled meanwhile.',
    default: MONTH_MINUTES,
    column: { default: MONTH_MINUTES },
  })
  deletionGraceMinutes!: number;
}
