import { attribute, oneOf, roles, type ValueOf } from '../../kernel/declare/attribute.js';
import { ACCESS_TYPE, resource, SEMANTIC } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { NamedEntity } from '../entity.js';
import {
  normaliseRoleLists,
  rolesDisplay,
  semanticOptions,
  type NamedRole,
} from './policy-parts.js';

const CONDITION = 'The condition on every pair of an identity and a service in the two lists.';

export const RULE_KIND = oneOf(
  'AccessRuleKind',
  {
    MUST_REACH: 'Every identity of the list reaches every service of the list.',
    MUST_NEVER_REACH: 'No identity of the list reaches any service of the list.',
  },
  CONDITION,
);

@resource({
  description:
    'A condition on access: identities must reach services, or must never reach them. Any write that would violate it is refused.',
  plural: 'AccessRules',
  path: 'access-rules',
  permission: 'admin',
  decides: { rule: ['kind', 'type', 'semantic', 'identityRoles', 'serviceRoles'] },
  hooks: { validate: normaliseRoleLists },
})
export class AccessRule extends NamedEntity {
  @attribute(RULE_KIND, {
    description: CONDITION,
    required: true,
    filter: true,
  })
  kind!: ValueOf<typeof RULE_KIND>;

  @attribute(ACCESS_TYPE, {
    description: 'The kind of access that the rule is about.',
    required: true,
    filter: true,
  })
  type!: ValueOf<typeof ACCESS_TYPE>;

  @attribute(SEMANTIC, semanticOptions)
  semantic!: ValueOf<typeof SEMANTIC>;

  @attribute(roles('Identity'), {
    description: 'The identities, by a role list as in policies.',
    filter: true,
  })
  identityRoles!: string[];

  @rolesDisplay('identityRoles', 'identity')
  identityRolesDisplay!: Computed<NamedRole[]>;

  @attribute(roles('Service'), {
    description: 'The services, by a role list as in policies.',
    filter: true,
  })
  serviceRoles!: string[];

  @rolesDisplay('serviceRoles', 'service')
  serviceRolesDisplay!: Computed<NamedRole[]>;
}
