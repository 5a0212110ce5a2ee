import { ApiError } from '../../base/errors.js';
import { attributeOf, type SelectedEntity, type StoredEntity } from '../../kernel/declare/rows.js';
import { idOf, textsOf } from '../../base/row.js';
import { deleteIn, patchIn } from '../../kernel/write/write.js';
import { EVERYBODY, normaliseRoles } from '../../kernel/policy/index.js';
import { faultsOf, type Fault, type Subject } from './integrity-faults.js';
import { without } from './places.js';
import { originOfRun, type Run } from './run.js';

/**
 * Whether a repair changes no access: it removes missing entities from lists and maps, and deletes
 * orphans. Nested lists stay, because an empty one may mean every entity.
 */
export const isSafe = (fault: Fault): boolean =>
  fault.kind === 'orphan' ||
  fault.kind === 'roles' ||
  (fault.kind === 'dangling' && fault.place.form !== 'one' && fault.place.path.length === 1);

/** The rows of one transaction: few enough for its time limit. */
const BATCH = 100;

/** Repairs safe faults of the present rows; gives the ids of repaired rows. */
export async function repair(
  run: Run,
  subject: Subject,
  rows: readonly SelectedEntity[],
): Promise<ReadonlySet<string>> {
  const repairedIds = new Set<string>();
  for (let from = 0; from < rows.length; from += BATCH) {
    const ids = rows.slice(from, from + BATCH).map(idOf);
    const batches = (await repairTogether(run, subject, ids))
      ? [ids]
      : await oneByOne(run, subject, ids);
    for (const id of batches.flat()) repairedIds.add(id);
    await run.checkpoint();
  }
  return repairedIds;
}

/** Repairs rows one by one, so that a row that can not be written does not stop the others. */
async function oneByOne(run: Run, subject: Subject, ids: readonly string[]): Promise<string[][]> {
  const repairedBatches: string[][] = [];
  for (const id of ids) if (await repairTogether(run, subject, [id])) repairedBatches.push([id]);
  return repairedBatches;
}

async function repairTogether(
  run: Run,
  subject: Subject,
  ids: readonly string[],
): Promise<boolean> {
  const { ctx } = run;
  const { resource } = subject;
  try {
    await ctx.store.write(originOfRun(run), async (tx) => {
      // A row that was deleted meanwhile counts as repaired.
      const rows = await tx.lock(resource, ids);
      const faults = await faultsOf(tx, ctx.catalog, subject, rows);
      const orphans: StoredEntity[] = [];
      for (const [i, current] of rows.entries()) {
        const rowFaults = faults[i] ?? [];
        if (rowFaults.some(({ kind }) => kind === 'orphan')) orphans.push(current);
        else {
          const values = repaired(current, rowFaults.filter(isSafe));
          if (Object.keys(values).length > 0) await patchIn(tx, resource, current, values);
        }
      }
      await deleteIn(ctx, tx, resource, orphans);
    });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return false;
    throw error;
  }
}

function repaired(current: StoredEntity, faults: readonly Fault[]): object {
  const values = new Map<string, unknown>();
  const valueOf = (name: string): unknown => values.get(name) ?? attributeOf(current, name);
  for (const fault of faults) {
    if (fault.kind === 'dangling') {
      const [name = ''] = fault.place.path;
      values.set(name, without(fault.place, valueOf(name), new Set(fault.ids)));
    }
  }
  for (const fault of faults) {
    if (fault.kind !== 'roles') continue;
    values.set(fault.name, soundRoles(fault.name, textsOf(valueOf(fault.name))));
  }
  return Object.fromEntries(values);
}

/** Beside `#all` other roles have no effect, and an invalid role selects no entity. */
function soundRoles(name: string, roles: readonly string[]): string[] {
  if (roles.includes(EVERYBODY)) return [EVERYBODY];
  return normaliseRoles(
    name,
    roles.filter((role) => /^[#@]./s.test(role)),
  );
}
