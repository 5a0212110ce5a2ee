import { uniqueOf, type Resource } from '../../kernel/declare/resource.js';
import { attributeOf } from '../../kernel/declare/rows.js';
import { sharedValues, type SharedValuesRow } from '../../kernel/read/entity-table.js';
import type { Run } from './run.js';
import { checkedResources } from './tables.js';

const MAX_SHARED_VALUES = 1_001;
const MAX_SHOWN = 5;

/**
 * Finds unique values that several entities share, such as after the loss of an index. The run can
 * not know the right owner, so it never repairs this.
 */
export async function checkUniqueness(run: Run): Promise<void> {
  const checkedKeys = new Set<string>();
  for (const resource of checkedResources(run.ctx.catalog)) {
    for (const names of uniqueOf(resource)) {
      // Resources in one table share its indexes.
      const key = `${resource.table}(${names.join()})`;
      if (checkedKeys.has(key)) continue;
      checkedKeys.add(key);
      for (const row of await sharedValues(run.ctx.store, resource, names, MAX_SHARED_VALUES)) {
        run.findings.add(sharedValuesText(resource, names, row), false);
      }
      await run.checkpoint();
    }
  }
}

function sharedValuesText(
  resource: Resource,
  names: readonly string[],
  row: SharedValuesRow,
): string {
  const { ids } = row;
  const more = ids.length > MAX_SHOWN ? ` and ${String(ids.length - MAX_SHOWN)} more` : '';
  const isSecret = names.some((name) => resource.attributes.get(name)?.unlogged === true);
  const values = isSecret
    ? ''
    : ` ${names.map((name) => JSON.stringify(attributeOf(row, name))).join(', ')}`;
  return `${resource.options.path} ${ids.slice(0, MAX_SHOWN).join(', ')}${more} share the same ${names.join(', ')}${values}`;
}
