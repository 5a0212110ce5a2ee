import { attribute, time } from '../../kernel/declare/attribute.js';
import { failure } from '../../base/errors.js';
import { routers } from '../../data/rows/router/index.js';
import { resource } from '../../kernel/declare/resource.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { CERTIFICATE_BEGIN, CERTIFICATE_END } from '../trust/certificate-validity.js';
import { afterRouter, RouterEntity, validateRouter } from './router-parts.js';
import { routerTraffic } from './router-traffic.js';

/** Lists of routers contain both kinds, but an edge router can not be changed here. */
async function absent(tx: Transaction, id: string): Promise<void> {
  if (await routers.findKind(tx, id)) throw failure('CAN_NOT_UPDATE_ROUTER');
}

@resource({
  description: 'A router that only carries traffic between others.',
  plural: 'TransitRouters',
  path: 'transit-routers',
  permission: 'router',
  exported: false,
  rest: { conflicts: ['replace', 'update'] },
  table: 'router',
  model: 'router',
  discriminator: { isEdge: false },
  counted: true,
  interfaces: [],
  relations: routerTraffic,
  hooks: { validate: validateRouter, after: (write) => afterRouter(write, false), absent },
})
export class TransitRouter extends RouterEntity {
  @attribute(time(), CERTIFICATE_BEGIN)
  notBefore!: Date | null;

  @attribute(time(), CERTIFICATE_END)
  notAfter!: Date | null;
}
