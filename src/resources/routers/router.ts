import { attribute, bool, object, objects, text } from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import type { Computed, RowOf } from '../../kernel/declare/rows.js';
import { ProtocolAddress } from './protocol-address.js';
import { RouterEntity } from './router-parts.js';
import { HOSTNAME, LISTENER_ADDRESSES, VERSION_INFO, VersionInfo } from './router-state.js';
import { routerTraffic } from './router-traffic.js';

@resource({
  description: 'A router of either kind, as far as edge and transit routers are alike.',
  plural: 'Routers',
  path: 'routers',
  permission: 'router',
  rest: { links: ({ id }: RowOf<'Router'>) => ({ self: `transit-routers/${id}` }) },
  table: 'router',
  model: 'router',
  verbs: [],
  relations: routerTraffic,
  // Its changes are logged as those of an edge router or a transit router.
  unlogged: true,
})
export class Router extends RouterEntity {
  @attribute(bool(), {
    description: 'Whether it is an edge router; else it is a transit router.',
    write: 'never',
    filter: true,
    graphOnly: true,
    column: { default: null },
  })
  isEdge!: boolean;

  @attribute(text(), { ...HOSTNAME, graphOnly: true })
  hostname!: Computed<string>;

  @attribute(objects(() => ProtocolAddress), {
    ...LISTENER_ADDRESSES,
    nullable: true,
    graphOnly: true,
  })
  listenerAddresses!: Computed<ProtocolAddress[] | null>;

  @attribute(object(() => VersionInfo), { ...VERSION_INFO, graphOnly: true })
  versionInfo!: Computed<VersionInfo | null>;
}
