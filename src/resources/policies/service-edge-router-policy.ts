import { attribute, roles, type ValueOf } from '../../kernel/declare/attribute.js';
import { resource, SEMANTIC } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { NamedEntity } from '../entity.js';
import {
  normaliseRoleLists,
  rolesDisplay,
  semanticOptions,
  type NamedRole,
} from './policy-parts.js';

@resource({
  description: 'Says which edge routers may carry which services.',
  plural: 'ServiceEdgeRouterPolicies',
  path: 'service-edge-router-policies',
  permission: 'service-edge-router-policy',
  counted: true,
  links: ['edge-routers', 'services'],
  hooks: { validate: normaliseRoleLists },
  isDrafted: true,
})
export class ServiceEdgeRouterPolicy extends NamedEntity {
  @attribute(SEMANTIC, semanticOptions)
  semantic!: ValueOf<typeof SEMANTIC>;

  @attribute(roles('EdgeRouter'), { description: 'The edge routers to use.', filter: true })
  edgeRouterRoles!: string[];

  @rolesDisplay('edgeRouterRoles', 'router')
  edgeRouterRolesDisplay!: Computed<NamedRole[]>;

  @attribute(roles('Service'), { description: 'The services to carry.', filter: true })
  serviceRoles!: string[];

  @rolesDisplay('serviceRoles', 'service')
  serviceRolesDisplay!: Computed<NamedRole[]>;
}
