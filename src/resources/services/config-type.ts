import { attribute, json, oneOf } from '../../kernel/declare/attribute.js';
import { checkSchema, type ConfigTypeTarget } from '../../data/config-types/index.js';
import { invalidField } from '../../base/errors.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { childrenOf } from '../child-relations.js';
import { NamedEntity } from '../entity.js';

function validate({ id, values }: Write<'ConfigType'>): void {
  // `all` asks for the configs of every type.
  if (id === 'all') throw invalidField('id', 'id "all" is reserved', 'all');
  if (values.name === 'all') throw invalidField('name', 'name "all" is reserved', 'all');
  if (values.schema !== undefined) checkSchema(values.schema);
}

@resource({
  description: 'A kind of configuration with the JSON schema that its data obeys.',
  plural: 'ConfigTypes',
  path: 'config-types',
  permission: 'config-type',
  rest: { conflicts: ['delete'] },
  counted: true,
  relations: [childrenOf('configs', 'Config', 'configTypeId', 'The configs of this type.')],
  hooks: { validate },
  isDrafted: true,
  exported: { fixed: ['target'] },
})
export class ConfigType extends NamedEntity {
  @attribute(json(), {
    description: 'JSON schema (draft 7) of an object; null: anything goes.',
    nullable: true,
    filter: true,
  })
  schema!: object | null;

  @attribute(
    oneOf('ConfigTypeTarget', {
      service: 'Configs of services.',
      router: 'Configs of routers.',
      other: 'Anything else.',
    } satisfies Record<ConfigTypeTarget, string>),
    {
      description: 'The kind of entity that configs of this type belong to; fixed at creation.',
      write: 'create',
      default: 'service',
      filter: true,
    },
  )
  target!: 'service' | 'other' | 'router';
}
