import { uniqueOf, type Resource } from '../kernel/declare/resource.js';
import { attributeOf } from '../kernel/declare/rows.js';
import { sharedValues, type SharedValuesRow } from '../kernel/read/entity-table.js';
import type { Run } from './run.js';
import { checkedResources } from './tables.js';

const MOST = 1_001;
const MOST_SHOWN = 5;

/**
 * Finds values that several entities share although they are of one alone, as after an index was
 * lost. Whose it is nobody can tell, so that this is never put right here.
 */
export async function checkUniqueness(run: Run): Promise<void> {
  const seen = new Set<string>();
  for (const resource of checkedResources(run.ctx.catalog)) {
    for (const names of uniqueOf(resource)) {
      // Resources in one table share its indexes.
      const key = `${resource.table}(${names.join()})`;
      if (seen.has(key)) continue;
      seen.add(key);
      for (const row of await sharedValues(run.ctx.store, resource, names, MOST)) {
        run.findings.add(told(resource, names, row), false);
      }
      await run.checkpoint();
    }
  }
}

function told(resource: Resource, names: readonly string[], row: SharedValuesRow): string {
  const { ids } = row;
  const more = ids.length > MOST_SHOWN ? ` and ${String(ids.length - MOST_SHOWN)} more` : '';
  const isSecret = names.some((name) => resource.attributes.get(name)?.unlogged === true);
  const values = isSecret
    ? ''
    : ` ${names.map((name) => JSON.stringify(attributeOf(row, name))).join(', ')}`;
  return `${resource.options.path} ${ids.slice(0, MOST_SHOWN).join(', ')}${more} share the same ${names.join(', ')}${values}`;
}
