import { attribute, bool, roles, type ValueOf } from '../../kernel/declare/attribute.js';
import { failure } from '../../base/errors.js';
import { resource, SEMANTIC, type Write } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { NamedEntity } from '../entity.js';
import {
  normaliseRoleLists,
  rolesDisplay,
  semanticOptions,
  type NamedRole,
} from './policy-parts.js';

/** The policy of a tunneler-enabled router is created and deleted with the router. */
function refuseSystemPolicy({ verb, current }: Write<'EdgeRouterPolicy'>): void {
  if (!current.isSystem) return;
  throw failure(verb === 'delete' ? 'ENTITY_CAN_NOT_BE_DELETED' : 'ENTITY_CAN_NOT_BE_UPDATED');
}

@resource({
  description: 'Lets identities use edge routers.',
  plural: 'EdgeRouterPolicies',
  path: 'edge-router-policies',
  permission: 'edge-router-policy',
  counted: true,
  links: ['edge-routers', 'identities'],
  hooks: { validate: normaliseRoleLists, before: refuseSystemPolicy },
  isDrafted: true,
  keptWith: {
    resource: 'EdgeRouter',
    kept: { isSystem: true },
    madeFor: { isTunnelerEnabled: true },
    attributes: ['isSystem', 'name', 'tags', 'semantic', 'edgeRouterRoles', 'identityRoles'],
  },
})
export class EdgeRouterPolicy extends NamedEntity {
  @attribute(bool(), {
    description:
      'Whether it belongs to a tunneler-enabled router; such a policy can not be changed.',
    write: 'never',
    filter: true,
  })
  override isSystem!: boolean;

  @attribute(SEMANTIC, semanticOptions)
  semantic!: ValueOf<typeof SEMANTIC>;

  @attribute(roles('EdgeRouter'), { description: 'The edge routers to use.', filter: true })
  edgeRouterRoles!: string[];

  @rolesDisplay('edgeRouterRoles', 'router')
  edgeRouterRolesDisplay!: Computed<NamedRole[]>;

  @attribute(roles('Identity'), { description: 'The identities that may use them.', filter: true })
  identityRoles!: string[];

  @rolesDisplay('identityRoles', 'identity')
  identityRolesDisplay!: Computed<NamedRole[]>;
}
