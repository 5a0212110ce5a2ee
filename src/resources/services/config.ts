import { attribute, json, reference } from '../../kernel/declare/attribute.js';
import { checkConfigData } from '../../data/config-types/index.js';
import { configOverrides } from '../../data/rows/service/index.js';
import { failure, invalidField } from '../../base/errors.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';
import { isObject } from '../../base/row.js';
import { listersOf } from '../child-relations.js';
import { NamedEntity } from '../entity.js';

async function validate({ ctx, tx, values, current }: Write<'Config'>): Promise<void> {
  if (values.data === undefined) return;
  const { configTypeId: typeId } = present({ ...current, ...values }, 'configTypeId');
  const [type] = await tx.find(ctx.catalog.resources.ConfigType, { id: typeId });
  if (!type) throw invalidField('type', 'no configType found with the given id', typeId);
  checkConfigData(isObject(type.schema) ? type.schema : null, values.data);
}

/** Services and routers drop a deleted config; an override of an identity prevents the deletion. */
async function refuseWhenOverriding({ verb, tx, id }: Write<'Config'>): Promise<void> {
  if (verb !== 'delete') return;
  const identityId = await configOverrides.identityUsing(tx, id);
  if (identityId !== undefined) {
    throw failure(
      'CAN_NOT_DELETE_REFERENCED_ENTITY',
      `referenced by the service configs of identity ${identityId}`,
    );
  }
}

@resource({
  description: 'Configuration data of one type, shared by services or routers.',
  plural: 'Configs',
  path: 'configs',
  permission: 'config',
  rest: { conflicts: ['delete'] },
  counted: true,
  relations: [listersOf('services', 'Service', 'configs', 'The services that use it.')],
  hooks: { validate, before: refuseWhenOverriding },
  isDrafted: true,
  exported: { fixed: ['configTypeId'] },
})
export class Config extends NamedEntity {
  @attribute(reference('ConfigType', { onDelete: 'restrict' }), {
    description: 'Id of its config type; fixed at creation.',
    write: 'create',
    required: true,
    filter: 'type',
    missingField: 'type',
  })
  configTypeId!: string;

  @attribute(json(), {
    description: 'An object that the schema of the type allows.',
    required: true,
  })
  data!: object;
}
