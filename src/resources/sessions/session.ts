import {
  attribute,
  objects,
  reference,
  text,
  time,
  type RestShape,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { servicePolicies } from '../../data/rows/policy/index.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import { may, permits } from '../../kernel/declare/permissions.js';
import { ACCESS_TYPE, resource } from '../../kernel/declare/resource.js';
import { entityReference } from '../../kernel/declare/rest.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { AS_KNOWN, expiryOfSession, sessionExpirySql } from './api-session-view.js';
import { Entity } from '../entity.js';
import { isOfCaller } from '../own-rows.js';
import { OWN_IDENTITY } from '../secrets.js';
import { edgeRoutersOfSession, ROUTERS_ON_REST, SessionRouter } from './session-routers.js';

/** A service policy that allows a session. */
class SessionPolicy {
  @attribute(text(), { description: 'Id of the service policy.' })
  id!: string;

  @attribute(text(), { description: 'Its name.' })
  name!: string;
}

const POLICIES_ON_REST: RestShape = {
  of: (policies: readonly SessionPolicy[]) =>
    policies.map(({ id, name }) => entityReference('service-policies', id, name)),
};

/** The policies that allow each session at present, visible with the permission to read policies. */
const policiesOfSession = computeFrom<'Session'>()(
  ['identityId', 'serviceId', 'type'],
  async (rows, ctx) => {
    if (!permits(ctx.caller, may('service-policy', 'read'))) return rows.map(() => []);
    const index = ctx.modules.policy;
    const linking = rows.map(({ identityId, serviceId, type }) =>
      index.linkingPolicies(identityId, serviceId, type).map(({ id }) => id),
    );
    const ids = [...new Set(linking.flat())];
    if (ids.length === 0) return linking;
    const policies = await servicePolicies.names(ctx.store, ids);
    return linking.map((own) => policies.filter(({ id }) => own.includes(id)));
  },
);

@resource({
  description: 'The permission to dial or bind one service, within an API session.',
  plural: 'Sessions',
  path: 'sessions',
  permission: 'ops',
  createdOften: true,
  grants: ['read', 'update', 'delete'],
  sortableIds: true,
  unique: [['token'], ['apiSessionId', 'serviceId', 'type']],
  verbs: ['delete'],
  visible: isOfCaller,
  links: ['route-path'],
})
export class Session extends Entity {
  @attribute(text(), {
    description:
      'The token for routers. Visible to its identity and to administrators; empty for others.',
    write: 'never',
    filter: true,
    unlogged: true,
    secret: OWN_IDENTITY,
  })
  token!: string;

  @attribute(reference('ApiSession', { onDelete: 'cascade' }), {
    description: 'Id of the API session.',
    write: 'never',
    filter: 'apiSession',
  })
  apiSessionId!: string;

  @attribute(reference('Identity', { onDelete: 'cascade', onRest: false }), {
    description: 'Id of the identity.',
    write: 'never',
  })
  identityId!: string;

  @attribute(reference('Service', { onDelete: 'cascade' }), {
    description: 'Id of the service.',
    write: 'never',
    filter: 'service',
  })
  serviceId!: string;

  @attribute(ACCESS_TYPE, {
    description: 'The kind of access that it permits.',
    write: 'never',
    filter: true,
  })
  type!: ValueOf<typeof ACCESS_TYPE>;

  @attribute(objects(() => SessionPolicy), {
    description: 'The policies that allow it.',
    write: 'never',
    compute: policiesOfSession,
    restShape: POLICIES_ON_REST,
  })
  servicePolicies!: Computed<SessionPolicy[]>;

  @attribute(objects(() => SessionRouter), {
    description: 'At most 25 routers that can carry it, those online first.',
    write: 'never',
    compute: edgeRoutersOfSession,
    restShape: ROUTERS_ON_REST,
  })
  edgeRouters!: Computed<SessionRouter[]>;

  @attribute(time(), {
    description: `When it ends with its API session unless another request comes${AS_KNOWN}`,
    write: 'never',
    nullable: true,
    compute: expiryOfSession,
    graphFilter: sessionExpirySql,
    graphOnly: true,
  })
  expiresAt!: Computed<Date | null>;
}
