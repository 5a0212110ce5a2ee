import { orphans, type Orphan, type SideTable } from '../../data/rows/integrity/index.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { StoredEntity } from '../../kernel/declare/rows.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { nextRevision, touchIn } from '../../kernel/write/write.js';
import { originOfRun, type Run } from './run.js';

const SIDE_TABLES: readonly SideTable[] = [
  {
    name: 'service_config_override',
    label: 'service config',
    owners: {
      identity_id: 'Identity',
      service_id: 'Service',
      config_type_id: 'ConfigType',
      config_id: 'Config',
    },
    key: ['identity_id', 'service_id', 'config_type_id'],
  },
  {
    name: 'mfa',
    label: 'second factor',
    owners: { identity_id: 'Identity' },
    key: ['identity_id'],
  },
];

const SLICE = 500;

/** Finds rows of entities that do not exist; deleting them is safe. */
export async function checkSideTables(run: Run): Promise<void> {
  for (const table of SIDE_TABLES) {
    for (let after: Orphan | undefined; ;) {
      const slice = await orphans.next(run.ctx.store, run.ctx.catalog, table, {
        after,
        limit: SLICE,
      });
      for (const orphan of slice) {
        const isFixed = run.fixing && (await discard(run, table, orphan));
        run.findings.add(`${table.label} ${ownersText(orphan)}`, isFixed);
      }
      await run.checkpoint();
      after = slice.at(-1);
      if (!after || slice.length < SLICE) break;
    }
  }
}

const ownersText = ({ owners }: Orphan): string => {
  const missing = owners.find(({ isMissing }) => isMissing)?.column ?? '';
  const ownerTexts = owners.map(({ column: at, id }) => `${at.replace(/_id$/, '')} ${id}`);
  return `of ${ownerTexts.join(', ')}: there is no such ${missing.replace(/_id$/, '').replace('_', ' ')}`;
};

/** Deletes the row; the change record goes to an existing owner, else to the missing identity. */
async function discard(run: Run, table: SideTable, orphan: Orphan): Promise<boolean> {
  const { ctx } = run;
  await ctx.store.write(originOfRun(run), async (tx) => {
    await orphans.remove(tx, table, orphan);
    const rowIds = Object.fromEntries(orphan.owners.map(({ column: at, id }) => [at, id]));
    const remainingOwner = await findRemainingOwner(run, tx, orphan);
    if (remainingOwner) {
      await touchIn(
        tx,
        remainingOwner.resource,
        remainingOwner.row,
        { [table.name]: rowIds },
        { [table.name]: null },
      );
    } else await recordDeletedIdentity(run, tx, table, orphans.idIn(orphan, 'identity_id'));
  });
  return true;
}

async function findRemainingOwner(
  { ctx }: Run,
  tx: Transaction,
  { owners }: Orphan,
): Promise<{ resource: Resource; row: StoredEntity } | undefined> {
  for (const { resource: name, id } of owners) {
    const resource = ctx.catalog.get(name);
    await tx.lock(resource, [id]);
    const [row] = await tx.find(resource, { id });
    if (row) return { resource, row };
  }
  return undefined;
}

async function recordDeletedIdentity(
  { ctx }: Run,
  tx: Transaction,
  { name }: SideTable,
  id: string,
): Promise<void> {
  const resource = ctx.catalog.resources.Identity;
  tx.record({
    resource: resource.name,
    id,
    operation: 'delete',
    revision: await nextRevision(tx, resource, id),
    before: { id, [name]: true },
    after: null,
  });
}
