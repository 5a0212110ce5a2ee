import { ApiError } from '../base/errors.js';
import { attributeOf, type SelectedEntity, type StoredEntity } from '../kernel/declare/rows.js';
import { idOf, textsOf } from '../base/row.js';
import { deleteIn, patchIn } from '../kernel/write/write.js';
import { EVERYBODY, normaliseRoles } from '../policy/index.js';
import { faultsOf, type Fault, type Subject } from './integrity-faults.js';
import { without } from './places.js';
import { originOfRun, type Run } from './run.js';

/**
 * Whether putting it right changes nothing of who may do what: names of nobody leave lists and maps,
 * and what belongs to nobody goes. Lists inside of values stay: an empty one may mean everybody.
 */
export const isSafe = (fault: Fault): boolean =>
  fault.kind === 'orphan' ||
  fault.kind === 'roles' ||
  (fault.kind === 'dangling' && fault.place.form !== 'one' && fault.place.path.length === 1);

/** Rows of one transaction: none may come near its time limit. */
const BATCH = 100;

/** Puts right what is safe, on the rows as they are by now; gives the ids where that was possible. */
export async function repair(
  run: Run,
  subject: Subject,
  rows: readonly SelectedEntity[],
): Promise<ReadonlySet<string>> {
  const done = new Set<string>();
  for (let from = 0; from < rows.length; from += BATCH) {
    const ids = rows.slice(from, from + BATCH).map(idOf);
    const batches = (await repairTogether(run, subject, ids))
      ? [ids]
      : await oneByOne(run, subject, ids);
    for (const id of batches.flat()) done.add(id);
    await run.checkpoint();
  }
  return done;
}

/** One that can not be written must not keep the others from it. */
async function oneByOne(run: Run, subject: Subject, ids: readonly string[]): Promise<string[][]> {
  const done: string[][] = [];
  for (const id of ids) if (await repairTogether(run, subject, [id])) done.push([id]);
  return done;
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
      // What was deleted meanwhile is cured as well.
      const rows = await tx.find(resource, { id: await tx.lock(resource, ids) });
      const faults = await faultsOf(tx, ctx.catalog, subject, rows);
      const orphans: StoredEntity[] = [];
      for (const [i, current] of rows.entries()) {
        const found = faults[i] ?? [];
        if (found.some(({ kind }) => kind === 'orphan')) orphans.push(current);
        else {
          const values = repaired(current, found.filter(isSafe));
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

/** Beside `#all` nothing counts, and what is no role selects nobody. */
function soundRoles(name: string, roles: readonly string[]): string[] {
  if (roles.includes(EVERYBODY)) return [EVERYBODY];
  return normaliseRoles(
    name,
    roles.filter((role) => /^[#@]./s.test(role)),
  );
}
