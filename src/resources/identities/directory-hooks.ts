import { reservePrefix } from '../../access/assignments/index.js';
import type { Hooks, Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';

async function validate({ verb, tx, values }: Write<'Directory'>): Promise<void> {
  if (values.authPolicyId === '') values.authPolicyId = 'default';
  if (verb !== 'create') return;
  const { roleAttributePrefix } = present(values, 'roleAttributePrefix');
  await reservePrefix(tx, 'roleAttributePrefix', roleAttributePrefix);
}

export const directoryHooks: Hooks<'Directory'> = { validate };
