import { lockUntilCommit } from '../../base/advisory-lock.js';
import { invalidField } from '../../base/errors.js';
import type { JsonObject } from '../../base/row.js';
import { together } from '../../base/together.js';
import { revocations } from '../../data/rows/revocation/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Origin, Transaction } from '../../kernel/request/store-port.js';
import {
  changeIn,
  createIn,
  currentRow,
  deleteIn,
  nextRevision,
} from '../../kernel/write/write.js';
import { SKEW_MILLIS } from './clock-skew.js';

/*
 * A token counts here only while its API session exists, so a revocation ends the sessions. Routers learn of the
 * end by the revocation itself, which they have in their data model.
 */

export type RevocationType = RowOf<'Revocation'>['type'];

export interface NewRevocation {
  /** The id of the token, the identity or the API session. */
  readonly id: string;
  readonly type: RevocationType;
  readonly tags?: JsonObject;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** API sessions of this controller have ids that sort by time. */
const SORTABLE_ID = /^c[0-9a-z]{23}$/;
const PURGE_BATCH = 500;
/** Two that revoke the same id at once replace each other, at whatever controllers. */
const LOCK = 7_031_208_415;

/**
 * Stores a revocation in place of an earlier one with the same id, ends the API sessions that it means, and
 * gives its id.
 * @throws ApiError COULD_NOT_VALIDATE on `id`, NOT_FOUND for an unknown identity
 */
export async function revokeIn(
  ctx: RequestContext,
  tx: Transaction,
  { id: sentId, type, tags = {} }: NewRevocation,
): Promise<string> {
  const id = checkedId(sentId, type);
  await lockUntilCommit(tx, LOCK);
  await lockMeant(ctx, tx, { id, type });
  await storeIn(ctx, tx, { id, type, tags });
  if (type !== 'JTI') {
    const { ApiSession } = ctx.catalog.resources;
    const meant = type === 'IDENTITY' ? { identityId: id } : { id };
    await deleteIn(ctx, tx, ApiSession, await tx.find(ApiSession, meant));
  }
  return id;
}

/** Tokens and sessions have ids in lower case. */
function checkedId(sentId: string, type: RevocationType): string {
  if (type === 'IDENTITY') return sentId;
  const id = sentId.toLowerCase();
  if (UUID.test(id) || (type === 'API_SESSION' && SORTABLE_ID.test(id))) return id;
  throw invalidField('id', 'must be the id of a token or of an API session', sentId);
}

/** No session of the identity opens meanwhile, and a session that ends at the same time has ended. */
async function lockMeant(
  ctx: RequestContext,
  tx: Transaction,
  { id, type }: NewRevocation,
): Promise<void> {
  const { ApiSession, Identity } = ctx.catalog.resources;
  if (type === 'IDENTITY') await currentRow(tx, Identity, id);
  if (type === 'API_SESSION') await tx.lock(ApiSession, [id]);
}

/** Ends the API sessions of an identity that is locked and may not log in any more. */
export async function endSessionsOfIdentity(
  ctx: RequestContext,
  tx: Transaction,
  identityId: string,
): Promise<void> {
  const sessions = await revokeTokensOfIdentity(ctx, tx, identityId);
  await deleteIn(ctx, tx, ctx.catalog.resources.ApiSession, sessions);
}

/** Revokes the tokens of an identity that is locked, if it may have any; gives its API sessions. */
export async function revokeTokensOfIdentity(
  ctx: RequestContext,
  tx: Transaction,
  identityId: string,
): Promise<RowOf<'ApiSession'>[]> {
  const sessions = await tx.find(ctx.catalog.resources.ApiSession, { identityId });
  if (withTokens(ctx, sessions).length > 0)
    await storeIn(ctx, tx, { id: identityId, type: 'IDENTITY' });
  return sessions;
}

/** Revokes the tokens of API sessions that have ended, unless the transaction has revoked them already. */
export async function revokeEndedSessions(
  ctx: RequestContext,
  tx: Transaction,
  sessions: readonly RowOf<'ApiSession'>[],
): Promise<void> {
  const revocable = withTokens(ctx, sessions);
  if (revocable.length === 0) return;
  const { Revocation } = ctx.catalog.resources;
  const revokedIds = new Set(
    tx.changes.filter(({ resource }) => resource === Revocation.name).map(({ id }) => id),
  );
  const open = revocable.filter(
    ({ id, identityId }) => !revokedIds.has(id) && !revokedIds.has(identityId),
  );
  await together(
    open.map(({ id }) => createIn(ctx, tx, Revocation, { type: 'API_SESSION' }, { id })),
  );
}

const withTokens = (
  { modules: { tokenLife }, now }: RequestContext,
  sessions: readonly RowOf<'ApiSession'>[],
): RowOf<'ApiSession'>[] => sessions.filter((session) => tokenLife.mayRemain(session, now()));

async function storeIn(
  ctx: RequestContext,
  tx: Transaction,
  { id, type, tags = {} }: NewRevocation,
): Promise<void> {
  const { Revocation } = ctx.catalog.resources;
  const [earlier] = await tx.lock(Revocation, [id]);
  if (earlier) await changeIn(ctx, tx, Revocation, 'replace', id, { type, tags });
  else {
    const revision = await nextRevision(tx, Revocation, id);
    await createIn(ctx, tx, Revocation, { type, tags }, { id, revision });
  }
}

/**
 * Deletes revocations whose time is over, a batch at a time. The clocks of controllers and routers differ: a
 * token has not expired at all of them when it has here.
 */
export async function deleteExpiredRevocations(ctx: RequestContext, origin: Origin): Promise<void> {
  const { Revocation } = ctx.catalog.resources;
  const until = new Date(origin.at.getTime() - SKEW_MILLIS);
  for (let deletedCount = PURGE_BATCH; deletedCount === PURGE_BATCH;) {
    deletedCount = await ctx.store.write(origin, async (tx) => {
      const ids = await revocations.lockExpired(tx, until, PURGE_BATCH);
      await deleteIn(ctx, tx, Revocation, await tx.find(Revocation, { id: ids }));
      return ids.length;
    });
  }
}
