import { createHash } from 'node:crypto';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { ValuesOf } from '../../kernel/declare/rows.js';
import { namesById } from '../../kernel/read/entity-table.js';
import type { Change } from '../../kernel/request/store-port.js';
import type { ImportFault } from './fault.js';
import { planImport, type NewId } from './plan.js';
import { plannedChanges, type PlannedChanges } from './planned-changes.js';
import type { Operation, Planning } from './planning.js';

/** A row after the import. */
export type PlannedRow = Pick<Change, 'resource' | 'id' | 'after'>;

export interface PlannedImport {
  readonly faults: readonly ImportFault[];
  readonly faultCount: number;
  readonly ignored: readonly string[];
  /** The changed rows after the import; empty when there are faults. */
  readonly rows: readonly PlannedRow[];
  /** The import as a list of changes; empty when there are faults. */
  readonly planned: PlannedChanges;
}

/** Gives the effect of an import without a transaction, so that a large document blocks no writer. */
export async function planRows(ctx: RequestContext, document: unknown): Promise<PlannedImport> {
  const plan = await planWithFreeIds(ctx, document);
  const { faults, ignored, operations } = plan;
  const possible = faults.count > 0 ? [] : operations;
  return {
    faults: faults.listed,
    faultCount: faults.count,
    ignored,
    rows: possible.flatMap((operation) => rowsOf(plan, operation)),
    planned: plannedChanges(possible),
  };
}

/** An entity that has such an id already was renamed since its import. Then all ids are new ones. */
async function planWithFreeIds(ctx: RequestContext, document: unknown): Promise<Planning> {
  const plan = await planImport(ctx, document, ignoreProgress, sameId);
  const isFree = await hasFreeIds(ctx, plan.operations);
  return isFree ? plan : planImport(ctx, document, ignoreProgress);
}

const ignoreProgress = (): void => undefined;

async function hasFreeIds(
  { store }: RequestContext,
  operations: readonly Operation[],
): Promise<boolean> {
  const ids = new Map<Resource, string[]>();
  for (const { entry, verb, id } of operations) {
    const { resource } = entry.section;
    if (verb !== 'create') continue;
    const newIds = ids.get(resource) ?? [];
    ids.set(resource, newIds);
    newIds.push(id);
  }
  for (const [resource, newIds] of ids) {
    if ((await namesById(store, resource, newIds)).length > 0) return false;
  }
  return true;
}

/** Gives the same ids for the same document, so that pages of one answer fit together. */
const sameId: NewId = ({ name: resource }, name) =>
  createHash('sha256').update(`${resource} ${name}`).digest('hex').slice(0, ID_LENGTH);

const ID_LENGTH = 24;

function rowsOf({ draft, ctx }: Planning, { entry, id }: Operation): PlannedRow[] {
  const { resource } = entry.section;
  const after = draft.row(resource, id);
  if (!after) return [];
  const own = { resource: resource.name, id, after };
  const { EdgeRouter, Identity } = ctx.catalog.resources;
  const router = resource.name === EdgeRouter.name ? draft.row(EdgeRouter, id) : undefined;
  return router ? [own, ...tunnelerRows(id, router, draft.row(Identity, id))] : [own];
}

/** An edge router with the flag is also an identity, which may use it. */
function tunnelerRows(
  id: string,
  { name, isTunnelerEnabled }: ValuesOf<'EdgeRouter'>,
  identity: ValuesOf<'Identity'> | undefined,
): PlannedRow[] {
  if (!isTunnelerEnabled) {
    return ['Identity', 'EdgeRouterPolicy'].map((resource) => ({ resource, id, after: null }));
  }
  const roles = [`@${id}`];
  return [
    { resource: 'Identity', id, after: identity ?? { id, name, roleAttributes: [] } },
    {
      resource: 'EdgeRouterPolicy',
      id,
      after: { id, semantic: 'AnyOf', edgeRouterRoles: roles, identityRoles: roles },
    },
  ];
}
