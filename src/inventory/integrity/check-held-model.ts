import type { Resource } from '../../kernel/declare/resource.js';
import { currentRow, patchIn } from '../../kernel/write/write.js';
import { originOfRun, type HeldDifference, type Run } from './run.js';

const DESCRIPTIONS: Readonly<Record<HeldDifference['kind'], string>> = {
  missing: 'is not held in memory',
  different: 'is held in memory as something else than the database says',
  gone: 'is held in memory, and does not exist',
};

/**
 * Compares the model in the memory of this controller with the database. A repair writes a change
 * record, which every controller applies as the latest state.
 */
export async function checkHeldModel(run: Run): Promise<void> {
  for (const resource of run.ctx.catalog.all()) {
    if (resource.options.counted !== true) continue;
    for await (const differences of run.held.differences(resource)) {
      for (const difference of differences) {
        if (run.fixing) await announce(run, resource, difference);
        const { id, kind } = difference;
        run.findings.add(`${resource.label} ${id} ${DESCRIPTIONS[kind]}`, run.fixing);
      }
      await run.checkpoint();
    }
  }
}

/** Raises the revision above the one in memory, because controllers ignore older ones. */
async function announce(run: Run, resource: Resource, difference: HeldDifference): Promise<void> {
  const { id, kind, revision } = difference;
  await run.ctx.store.write(originOfRun(run), async (tx) => {
    if (kind === 'gone') {
      tx.record({
        resource: resource.name,
        id,
        operation: 'delete',
        revision: revision + 1,
        before: { id },
        after: null,
      });
      return;
    }
    const current = await currentRow(tx, resource, id);
    const latest = Math.max(current.revision, revision);
    await patchIn(tx, resource, { ...current, revision: latest }, {});
  });
}
