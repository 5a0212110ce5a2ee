import { createHash } from 'node:crypto';
import type { RequestContext } from '../kernel/request/context.js';
import type { ValuesOf } from '../kernel/declare/rows.js';
import type { Change } from '../kernel/request/store-port.js';
import type { Fault } from './fault.js';
import { planImport, type NewId } from './plan.js';
import { plannedChanges, type PlannedChanges } from './planned-changes.js';
import type { Operation, Planning } from './planning.js';

/** A row after the import. */
export type PlannedRow = Pick<Change, 'resource' | 'id' | 'after'>;

export interface PlannedImport {
  readonly faults: readonly Fault[];
  readonly faultCount: number;
  readonly ignored: readonly string[];
  /** The changed rows after the import; empty when there are faults. */
  readonly rows: readonly PlannedRow[];
  /** The import as a list of changes; empty when there are faults. */
  readonly planned: PlannedChanges;
}

/** Gives the effect of an import without a transaction, so that a large document blocks no writer. */
export async function planRows(ctx: RequestContext, document: unknown): Promise<PlannedImport> {
  const plan = await planImport(ctx, document, () => undefined, sameId);
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
