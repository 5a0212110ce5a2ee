import { attribute, roles, type ValueOf } from '../../kernel/declare/attribute.js';
import { ACCESS_TYPE, resource, SEMANTIC } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { NamedEntity } from '../entity.js';
import {
  normaliseRoleLists,
  rolesDisplay,
  semanticOptions,
  type NamedRole,
} from './policy-parts.js';

@resource({
  description: 'Lets identities dial or bind services, under posture checks.',
  plural: 'ServicePolicies',
  path: 'service-policies',
  permission: 'service-policy',
  counted: true,
  decides: { reach: ['type', 'semantic', 'identityRoles', 'serviceRoles'] },
  rest: { conflicts: ['delete'] },
  links: ['services', 'identities', 'posture-checks'],
  hooks: { validate: normaliseRoleLists },
  isDrafted: true,
})
export class ServicePolicy extends NamedEntity {
  @attribute(SEMANTIC, semanticOptions)
  semantic!: ValueOf<typeof SEMANTIC>;

  @attribute(ACCESS_TYPE, {
    description: 'The kind of access that the policy grants.',
    required: true,
    filter: true,
    storedNumbers: { Dial: 1, Bind: 2 },
  })
  type!: ValueOf<typeof ACCESS_TYPE>;

  @attribute(roles('Identity'), { description: 'The identities that get access.', filter: true })
  identityRoles!: string[];

  @rolesDisplay('identityRoles', 'identity')
  identityRolesDisplay!: Computed<NamedRole[]>;

  @attribute(roles('Service'), { description: 'The services that they may access.', filter: true })
  serviceRoles!: string[];

  @rolesDisplay('serviceRoles', 'service')
  serviceRolesDisplay!: Computed<NamedRole[]>;

  @attribute(roles('PostureCheck'), {
    description: 'The posture checks that must pass.',
    filter: true,
  })
  postureCheckRoles!: string[];

  @rolesDisplay('postureCheckRoles', 'posture_check')
  postureCheckRolesDisplay!: Computed<NamedRole[]>;
}
