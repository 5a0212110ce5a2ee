import { columnOf, uniqueOf, type Resource } from '../kernel/declare/resource.js';
import { attributeOf } from '../kernel/declare/rows.js';
import { and, join, raw, sql, type Sql } from '../base/sql.js';
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
      for (const row of await run.ctx.store.query(sharedValues(resource, names))) {
        run.findings.add(told(resource, names, row), false);
      }
      await run.checkpoint();
    }
  }
}

/** Values by the names of their attributes, and who has them. */
type SharedValues = { ids: string[] };

function sharedValues(resource: Resource, names: readonly string[]): Sql<SharedValues> {
  const columns = names.map((name) => {
    const attribute = resource.attributes.get(name);
    if (!attribute) throw new Error(`${resource.name} has no attribute ${name}`);
    return raw(`"${columnOf(attribute)}"`);
  });
  const isSet = and(...columns.map((column) => sql`${column} is not null`));
  const list = join(columns, ', ');
  return sql<SharedValues>`select array_agg(id order by id) as ids, ${join(
    columns.map((column, i) => sql`${column} as ${raw(`"${names[i] ?? ''}"`)}`),
    ', ',
  )} from ${raw(`"${resource.table}"`)} where ${isSet} group by ${list} having count(*) > 1 limit ${raw(String(MOST))}`;
}

function told(resource: Resource, names: readonly string[], row: SharedValues): string {
  const { ids } = row;
  const more = ids.length > MOST_SHOWN ? ` and ${String(ids.length - MOST_SHOWN)} more` : '';
  const isSecret = names.some((name) => resource.attributes.get(name)?.unlogged === true);
  const values = isSecret
    ? ''
    : ` ${names.map((name) => JSON.stringify(attributeOf(row, name))).join(', ')}`;
  return `${resource.options.path} ${ids.slice(0, MOST_SHOWN).join(', ')}${more} share the same ${names.join(', ')}${values}`;
}
