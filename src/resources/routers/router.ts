import { attribute, bool, object, objects, text } from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import type { Computed, RowOf } from '../../kernel/declare/rows.js';
import { ProtocolAddress } from './protocol-address.js';
import { RouterEntity } from './router-parts.js';
import { hostname, listenerAddresses, versionInfo, VersionInfo } from './router-state.js';
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

  @attribute(text(), {
    description: 'Name of its host while connected.',
    write: 'never',
    graphOnly: true,
    compute: hostname,
  })
  hostname!: Computed<string>;

  @attribute(objects(() => ProtocolAddress), {
    description: 'The addresses where it accepts links of other routers, while it is connected.',
    write: 'never',
    nullable: true,
    graphOnly: true,
    compute: listenerAddresses,
  })
  listenerAddresses!: Computed<ProtocolAddress[] | null>;

  @attribute(object(() => VersionInfo), {
    description: 'Its software, while connected.',
    write: 'never',
    nullable: true,
    omitEmpty: true,
    graphOnly: true,
    compute: versionInfo,
  })
  versionInfo!: Computed<VersionInfo | null>;
}
