import { endSourceIn, reservePrefix } from '../../access/assignments/index.js';
import { sourceOf } from '../../data/rows/directory/index.js';
import type { Hooks, Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';

async function validate({ verb, tx, id, values }: Write<'Directory'>): Promise<void> {
  if (values.authPolicyId === '') values.authPolicyId = 'default';
  if (verb !== 'create') return;
  const { roleAttributePrefix } = present(values, 'roleAttributePrefix');
  await reservePrefix(tx, sourceOf(id), roleAttributePrefix);
}

/** Takes away what a directory has reported; one with users or groups is not deleted. */
async function before({ verb, ctx, tx, id }: Write<'Directory'>): Promise<void> {
  if (verb === 'delete') await endSourceIn(ctx, tx, sourceOf(id));
}

export const directoryHooks: Hooks<'Directory'> = { validate, before };
