import type { RequestContext } from '../../kernel/request/context.js';
import { invalidField, notFound } from '../../base/errors.js';
import type { Transaction } from '../../kernel/request/store-port.js';

/**
 * Configs of a service or router: each must exist (404) and be of a type for that kind of entity, and
 * there may be one of each type (both 400 on `configs`).
 */
export async function checkConfigs(
  ctx: RequestContext,
  tx: Transaction,
  target: 'service' | 'router',
  ids: readonly string[] = [],
): Promise<void> {
  if (ids.length === 0) return;
  const configs = await tx.find(ctx.catalog.resources.Config, { id: ids });
  const missing = ids.find((id) => !configs.some((row) => row.id === id));
  if (missing !== undefined) throw notFound('config', missing);
  const typeIds = configs.map((row) => row.configTypeId);
  const types = await tx.find(ctx.catalog.resources.ConfigType, { id: typeIds });
  const wrongType = types.find((type) => type.target !== target);
  if (wrongType) {
    throw invalidField('configs', `configs of type ${wrongType.name} are not for a ${target}`, ids);
  }
  const duplicate = configs.find((row, i) => typeIds.indexOf(row.configTypeId) !== i);
  if (duplicate) {
    throw invalidField(
      'configs',
      `duplicate configs of one type: config ${duplicate.id} repeats it`,
      ids,
    );
  }
}
