import { attribute, bytes, int, oneOf, reference, text } from '../kernel/attribute.js';
import { resource } from '../kernel/resource.js';
import { Entity } from './entity.js';

const COST = int({ min: 0, max: 65535 });

@resource({
  description: 'Where a service can be reached: an address at a router.',
  plural: 'Terminators',
  path: 'terminators',
  permission: 'terminator',
})
export class Terminator extends Entity {
  @attribute(reference('Service', { onDelete: 'cascade' }), {
    description: 'Id of the service; fixed at creation.',
    inputName: 'service',
    required: true,
    filter: 'service',
  })
  serviceId!: string;

  @attribute(reference('EdgeRouter', { as: 'router', onDelete: 'cascade' }), {
    description: 'Id of the router.',
    inputName: 'router',
    required: true,
    filter: 'router',
  })
  routerId!: string;

  @attribute(text({ min: 1 }), {
    description: 'How the router reaches it.',
    required: true,
    filter: true,
  })
  binding!: string;

  @attribute(text({ min: 1 }), {
    description: 'Where the router reaches it.',
    required: true,
    filter: true,
  })
  address!: string;

  @attribute(text(), {
    description: 'Tells it from others of the service; fixed at creation.',
    write: 'create',
  })
  identity!: string;

  @attribute(bytes(), {
    description: 'Secret that guards the identity; never shown.',
    write: 'create',
    nullable: true,
    hidden: true,
    unlogged: true,
  })
  identitySecret!: Uint8Array | null;

  @attribute(COST, { description: 'What choosing it costs.' })
  cost!: number;

  @attribute(oneOf('TerminatorPrecedence', ['default', 'required', 'failed']), {
    description: 'Whether it comes before or after others.',
    default: 'default',
  })
  precedence!: string;

  @attribute(COST, {
    description: 'What its failures and load add to the cost.',
    write: 'never',
    unlogged: true,
  })
  dynamicCost!: number;

  @attribute(text(), {
    description: 'Id that its host gave it.',
    write: 'never',
    filter: true,
    graphOnly: true,
  })
  instanceId!: string;

  @attribute(text(), {
    description: 'Id of the identity that hosts it.',
    write: 'never',
    filter: true,
    graphOnly: true,
  })
  hostId!: string;

  @attribute(text(), {
    description: 'Id of the controller that its host is connected to.',
    write: 'never',
    filter: true,
    graphOnly: true,
  })
  sourceCtrl!: string;
}
