import { resource } from '../kernel/resource.js';
import { afterRouter, RouterEntity, validateRouter } from './router-parts.js';

@resource({
  description: 'A router that only carries traffic between others.',
  plural: 'TransitRouters',
  path: 'transit-routers',
  permission: 'router',
  table: 'router',
  model: 'router',
  discriminator: { isEdge: false },
  counted: true,
  hooks: { validate: validateRouter, after: (write) => afterRouter(write, false) },
})
export class TransitRouter extends RouterEntity {}
