import type { JsonObject } from '../../base/row.js';
import { invalidField } from '../../base/errors.js';
import { checkChosenId } from '../../base/ids.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import {
  changeIn,
  createIn,
  currentRow,
  deleteIn,
  nextRevision,
  originOf,
  patchIn,
} from '../../kernel/write/write.js';
import { verified, type RouterKind } from './verified-router.js';

/*
 * Routers whose certificates do not come from an enrollment: operators name the fingerprint. Such a
 * certificate must still be of an authority of the network.
 */

const FINGERPRINT = /^[0-9a-f]{40}$/;

/** Creates a transit router; with a fingerprint it has no enrollment. */
export async function registerRouter(
  ctx: RequestContext,
  id: string,
  input: JsonObject,
  fingerprint: string | undefined,
): Promise<void> {
  checkChosenId('id', id);
  checkFingerprint(fingerprint);
  const { TransitRouter, Enrollment, Identity } = ctx.catalog.resources;
  await ctx.store.write(originOf(ctx), async (tx) => {
    // A router with a tunneler has the id of its identity.
    const [identity] = await tx.find(Identity, { id });
    if (identity) throw invalidField('id', 'is the id of an identity', id);
    const revision = await nextRevision(tx, TransitRouter, id);
    await createIn(ctx, tx, TransitRouter, input, { id, revision });
    if (fingerprint === undefined) return;
    await setFingerprint(tx, TransitRouter, id, fingerprint);
    await deleteIn(ctx, tx, Enrollment, await tx.find(Enrollment, { transitRouterId: id }));
  });
}

/** Changes attributes of a router, and the certificate by which it is known. */
export async function updateRouter(
  ctx: RequestContext,
  router: Resource<RouterKind>,
  id: string,
  input: JsonObject,
  fingerprint: string | undefined,
): Promise<void> {
  checkFingerprint(fingerprint);
  await ctx.store.write(originOf(ctx), async (tx) => {
    await changeIn(ctx, tx, router, 'update', id, input);
    if (fingerprint !== undefined) await setFingerprint(tx, router, id, fingerprint);
  });
}

function checkFingerprint(fingerprint: string | undefined): void {
  if (fingerprint === undefined || FINGERPRINT.test(fingerprint)) return;
  throw invalidField('fingerprint', 'must be 40 hex digits in lower case', fingerprint);
}

async function setFingerprint(
  tx: Transaction,
  router: Resource<RouterKind>,
  id: string,
  fingerprint: string,
): Promise<void> {
  const current = await currentRow(tx, router, id);
  if (current.fingerprint === fingerprint) return;
  await patchIn(tx, router, current, { isVerified: true, ...verified(router, fingerprint, null) });
}
