import { attribute, json, oneOf, reference, text } from '../kernel/attribute.js';
import { resource } from '../kernel/resource.js';
import { column, FALSE, sql } from '../kernel/sql.js';
import { Entity } from './entity.js';
import { edgeRoutersOfSession } from './session-routers.js';

@resource({
  description: 'The permission to dial or bind one service, within an API session.',
  plural: 'Sessions',
  path: 'sessions',
  permission: 'ops',
  sortableIds: true,
  verbs: ['delete'],
  visible: (ctx, alias) =>
    ctx.caller ? sql`${column(alias, 'identity_id')} = ${ctx.caller.identityId}::text` : FALSE,
  links: ['route-path'],
})
export class Session extends Entity {
  @attribute(text(), {
    description: 'What routers are shown.',
    write: 'never',
    filter: true,
    unlogged: true,
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

  @attribute(oneOf('DialBind', ['Dial', 'Bind', 'Invalid']), {
    description: 'What it permits.',
    write: 'never',
    filter: true,
  })
  type!: string;

  @attribute(json(), {
    description: 'At most 25 routers that can carry it, those online first.',
    write: 'never',
    compute: edgeRoutersOfSession,
  })
  edgeRouters!: object[];
}
