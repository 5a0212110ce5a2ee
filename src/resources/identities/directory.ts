import {
  attribute,
  bool,
  int,
  oneOf,
  reference,
  text,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import { childrenOf } from '../child-relations.js';
import { NamedEntity } from '../entity.js';
import { NEW_IDENTITIES_ARE_PENDING } from '../trust/new-identities.js';
import { directoryHooks } from './directory-hooks.js';

const MAX_GRACE_MINUTES = 525_600;
const MONTH_MINUTES = 43_200;

const KIND = oneOf(
  'DirectoryKind',
  {
    identityProvider: 'An identity provider, which writes users and groups over SCIM.',
    deviceManagement: 'A device management system, which reports on the devices of identities.',
  },
  'The kind of the system that a directory belongs to.',
);

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
    'A system that gives identities role attributes of its own: an identity provider, which also creates identities, or a device management system.',
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
  @attribute(KIND, {
    description:
      'The kind of the system. The tokens of a directory open the interface for its kind alone.',
    write: 'create',
    default: 'identityProvider',
    column: { default: 'identityProvider' },
    filter: true,
  })
  kind!: ValueOf<typeof KIND>;

  @attribute(text({ min: 2, max: 33 }), {
    description:
      'The beginning of the role attributes that it gives, such as `idp:`; it ends with a colon. Only the directory writes role attributes of identities that begin so.',
    write: 'create',
    required: true,
    filter: true,
  })
  roleAttributePrefix!: string;

  @attribute(EXTERNAL_ID_SOURCE, {
    description: 'What becomes the external id of the identities of an identity provider.',
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

  @attribute(bool(), NEW_IDENTITIES_ARE_PENDING)
  newIdentitiesArePending!: boolean;
}
