import { newId } from '../../base/ids.js';
import { together } from '../../base/together.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { deleteIn, insertIn, patchIn } from '../../kernel/write/write.js';
import { storeAssignedAttributes } from './assigned-attributes.js';

/*
 * A source writes assignments without an end: they last until it takes them away. Its callers have locked the
 * identities.
 */

/** A role attribute that a source gives. */
export interface SourcedAttribute {
  readonly source: string;
  readonly roleAttribute: string;
}

type Identities = readonly RowOf<'Identity'>[];

/** Gives a role attribute to those of the identities that do not have it from the source. */
export async function assignIn(
  { catalog }: RequestContext,
  tx: Transaction,
  { source, roleAttribute }: SourcedAttribute,
  identities: Identities,
): Promise<void> {
  const { RoleAssignment } = catalog.resources;
  const match = { source, roleAttribute, identityId: identities.map(({ id }) => id) };
  const existing = await tx.find(RoleAssignment, match);
  const holders = new Set(existing.map(({ identityId }) => identityId));
  const others = identities.filter(({ id }) => !holders.has(id));
  if (others.length === 0) return;
  const assignment = {
    ...ENDLESS,
    source,
    roleAttribute,
    activeFrom: await roleAssignments.now(tx),
  };
  await together(
    others.map(({ id: identityId }) =>
      insertIn(tx, RoleAssignment, { id: newId(), identityId, ...assignment }),
    ),
  );
  await storeAssignedAttributes(tx, catalog, others);
}

const ENDLESS = {
  state: 'ACTIVE',
  activeUntil: null,
  reason: null,
  requestedById: null,
  approvedById: null,
} as const;

/** Takes role attributes of a source away; without `roleAttribute` all that it gives. */
export async function unassignIn(
  ctx: RequestContext,
  tx: Transaction,
  match: Pick<SourcedAttribute, 'source'> & Partial<SourcedAttribute>,
  identities: Identities,
): Promise<void> {
  const { RoleAssignment } = ctx.catalog.resources;
  const identityId = identities.map(({ id }) => id);
  const rows = await tx.find(RoleAssignment, { ...match, identityId });
  if (rows.length === 0) return;
  await deleteIn(ctx, tx, RoleAssignment, rows);
  await storeAssignedAttributes(tx, ctx.catalog, identities);
}

/** Gives another role attribute in place of one. */
export async function reassignIn(
  { catalog }: RequestContext,
  tx: Transaction,
  match: SourcedAttribute,
  roleAttribute: string,
  identities: Identities,
): Promise<void> {
  const { RoleAssignment } = catalog.resources;
  const identityId = identities.map(({ id }) => id);
  const rows = await tx.find(RoleAssignment, { ...match, identityId });
  await together(rows.map((row) => patchIn(tx, RoleAssignment, row, { roleAttribute })));
  await storeAssignedAttributes(tx, catalog, identities);
}
