import { attribute, reference, text } from '../../kernel/declare/attribute.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { resource } from '../../kernel/declare/resource.js';
import { column, FALSE, raw, sql, type Sql } from '../../base/sql.js';
import { Entity } from '../entity.js';
import { visibleServices } from './service-view.js';

/** Restricts the rows to terminators of services that the caller may dial or bind. */
function ofVisibleServices(ctx: RequestContext, alias: string): Sql {
  const service = `${alias}_service`;
  const visible = visibleServices(ctx, service);
  if (visible === FALSE) return FALSE;
  return sql`exists (select 1 from service ${raw(`"${service}"`)}
    where ${column(service, 'id')} = ${column(alias, 'service_id')} and ${visible})`;
}

@resource({
  description: 'A terminator of a service, as clients see it.',
  plural: 'ClientTerminators',
  path: 'terminators',
  permission: 'terminator',
  label: 'terminator',
  table: 'terminator',
  model: 'terminator',
  verbs: [],
  interfaces: [],
  visible: ofVisibleServices,
})
export class ClientTerminator extends Entity {
  @attribute(text(), {
    description: 'The name by which clients may address this terminator of the service.',
    write: 'never',
    filter: true,
  })
  identity!: string;

  @attribute(reference('Service', { onDelete: 'keep' }), {
    description: 'Id of the service.',
    write: 'never',
    filter: 'service',
  })
  serviceId!: string;

  @attribute(text(), { description: 'Id of the router.', write: 'never', filter: 'router' })
  routerId!: string;
}
