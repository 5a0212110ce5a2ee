import { newId } from '../../base/ids.js';
import { together } from '../../base/together.js';
import { clock } from '../../data/rows/clock/index.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { deleteIn, insertIn, patchIn } from '../../kernel/write/write.js';
import { storeAssignedAttributes } from './assigned-attributes.js';

/*
 * A source writes its assignments without an end, which last until it takes them away, or all of an identity until a
 * time. Its callers have locked the identities.
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
    activeFrom: await clock.now(tx),
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

/** Takes all role attributes of a source away, whoever has them. */
export async function endSourceIn(
  ctx: RequestContext,
  tx: Transaction,
  source: string,
): Promise<void> {
  const ids = await roleAssignments.identitiesOfSource(tx, source);
  if (ids.length === 0) return;
  await unassignIn(ctx, tx, { source }, await tx.lock(ctx.catalog.resources.Identity, ids));
}

/** All role attributes that a source gives an identity until a time. */
export interface SourcedAttributes {
  readonly source: string;
  readonly roleAttributes: readonly string[];
  readonly activeUntil: Date;
  readonly reason: string | null;
}

/**
 * Makes these the role attributes that a source gives an identity. `given`: also those that the identity does not have
 * from it yet, or only those that it has.
 */
export async function replaceIn(
  ctx: RequestContext,
  tx: Transaction,
  identity: RowOf<'Identity'>,
  { source, roleAttributes, activeUntil, reason }: SourcedAttributes,
  given: 'all' | 'present' = 'all',
): Promise<void> {
  const { RoleAssignment } = ctx.catalog.resources;
  const identityId = identity.id;
  const all = await tx.find(RoleAssignment, { identityId, source });
  const present = all.filter(({ state }) => state !== 'ENDED');
  const wanted = new Set(roleAttributes);
  const lost = present.filter(({ roleAttribute }) => !wanted.has(roleAttribute));
  const lasting = present.filter(({ roleAttribute }) => wanted.delete(roleAttribute));
  const period = { activeFrom: await clock.now(tx), activeUntil };
  if (lost.length > 0) await deleteIn(ctx, tx, RoleAssignment, lost);
  await together([
    ...lasting.map((row) => patchIn(tx, RoleAssignment, row, { activeUntil, reason })),
    ...[...(given === 'all' ? wanted : [])].map((roleAttribute) =>
      insertIn(tx, RoleAssignment, {
        ...{ ...ENDLESS, ...period, id: newId(), identityId },
        ...{ source, roleAttribute, reason },
      }),
    ),
  ]);
  await storeAssignedAttributes(tx, ctx.catalog, [identity]);
}
