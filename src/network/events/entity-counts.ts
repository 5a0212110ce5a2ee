import type { Queryable } from '../../base/sql.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { countEntities } from '../../kernel/read/entity-table.js';
import { entityLayout } from './entity-layouts.js';
import type { NetworkEvent } from './network-event.js';

/** The event `entityCount`: the number of entities by their stores, as the field names them. */
export async function entityCountEvent(
  store: Queryable,
  catalog: Catalog,
  { at, intervalMillis }: { readonly at: Date; readonly intervalMillis: number },
): Promise<NetworkEvent> {
  const stored = [...catalog.all()].flatMap((resource) => {
    const layout = entityLayout(catalog, resource.name);
    return layout ? [{ resource, store: layout.type }] : [];
  });
  const rows = await countEntities(
    store,
    stored.map(({ resource }) => resource),
  );
  const byList = new Map(rows.map(({ list, count }) => [list, count]));
  const counts: Record<string, number> = {};
  for (const { resource, store: name } of stored) {
    counts[name] = (counts[name] ?? 0) + (byList.get(resource.list) ?? 0);
  }
  const { EdgeRouter, Service } = catalog.resources;
  counts['routers.edge'] = byList.get(EdgeRouter.list) ?? 0;
  counts['services.edge'] = byList.get(Service.list) ?? 0;
  return { type: 'entityCount', at, isShared: true, intervalMillis, members: { counts } };
}
