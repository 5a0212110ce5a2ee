import { resource } from '../../kernel/declare/resource.js';
import { NamedEntity } from '../entity.js';

@resource({
  description: 'What an identity stands for: a router, or anything else.',
  plural: 'IdentityTypes',
  path: 'identity-types',
  permission: 'identity',
  counted: true,
  verbs: [],
})
export class IdentityType extends NamedEntity {}
