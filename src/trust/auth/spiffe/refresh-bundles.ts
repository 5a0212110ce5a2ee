import { isDeepStrictEqual } from 'node:util';
import {
  certificateAuthorities,
  type BundleAuthority,
} from '../../../data/rows/certificate-authority/index.js';
import { clock } from '../../../data/rows/clock/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { RowOf } from '../../../kernel/declare/rows.js';
import type { Transaction } from '../../../kernel/request/store-port.js';
import { originOf, patchIn } from '../../../kernel/write/write.js';
import { DownloadFault } from '../ext-jwt/index.js';
import { downloadBundle, type BundleDownloadOptions } from './download-bundle.js';
import type { TrustBundle } from './trust-bundle.js';

export interface BundleRefreshOptions extends BundleDownloadOptions {
  /** Called for each refused download. */
  readonly onFault?: (authorityId: string, reason: string) => void;
}

/* SPIFFE Trust Domain and Bundle 4.1.2 gives no bounds: these keep roots fresh, and servers from being asked too often. */
const MIN_SECONDS = 60;
const MAX_SECONDS = 24 * 3_600;
const DEFAULT_SECONDS = 300;
const SECOND = 1_000;

type BundleState = NonNullable<RowOf<'CertificateAuthority'>['bundleState']>;

/**
 * Downloads the bundles whose time has come, and stores them. A refused one changes nothing but the state. Two
 * controllers may do so at once: the sequence decides, under the lock of the authority.
 */
export async function refreshBundles(
  ctx: RequestContext,
  options: BundleRefreshOptions,
): Promise<void> {
  const now = (await clock.now(ctx.store)).getTime();
  const authorities = await certificateAuthorities.withBundles(ctx.store);
  const due = authorities.filter(({ bundleState }) => isDue(bundleState, now));
  // A slow server does not hold up the others.
  await Promise.all(due.map((authority) => refresh(ctx, authority, options)));
}

/** A clock that was set back does not stop downloads. */
function isDue(state: BundleState | null, now: number): boolean {
  const next = Date.parse(state?.nextAt ?? '');
  return !(next > now && next - now <= MAX_SECONDS * SECOND);
}

async function refresh(
  ctx: RequestContext,
  authority: BundleAuthority,
  options: BundleRefreshOptions,
): Promise<void> {
  const bundle = await downloadBundle(authority, options).catch((error: unknown) => {
    if (error instanceof DownloadFault) return error;
    throw error;
  });
  const reason = 'the bundle of its trust domain';
  const fault = await ctx.store.write({ ...originOf(ctx), reason }, (tx) =>
    storeIn(ctx, tx, authority, bundle),
  );
  if (fault !== undefined) options.onFault?.(authority.id, fault);
}

/** Stores the outcome of a download; gives the reason of one that was refused. */
async function storeIn(
  ctx: RequestContext,
  tx: Transaction,
  { id, bundleEndpoint }: BundleAuthority,
  bundle: TrustBundle | DownloadFault,
): Promise<string | undefined> {
  const authorities = ctx.catalog.resources.CertificateAuthority;
  const current = await tx.lockRow(authorities, id);
  // The outcome of another endpoint says nothing about this one.
  if (!current || !isDeepStrictEqual(current.bundleEndpoint, bundleEndpoint)) return undefined;
  const { sequence, downloadedAt } = current.bundleState ?? NEVER;
  const accepted = inOrder(bundle, sequence);
  const now = await clock.now(tx);
  if (accepted instanceof DownloadFault) {
    const { message: error } = accepted;
    const nextAt = after(now, MIN_SECONDS);
    await certificateAuthorities.storeBundleState(tx, id, {
      sequence,
      downloadedAt,
      nextAt,
      error,
    });
    return error;
  }
  const bundleState = stateOf(now, accepted);
  if (current.isVerified && current.bundleRoots === accepted.roots) {
    await certificateAuthorities.storeBundleState(tx, id, bundleState);
  } else {
    const values = { bundleRoots: accepted.roots, isVerified: true, bundleState };
    await patchIn(tx, authorities, current, values);
  }
  return undefined;
}

/** The state before the first download. */
const NEVER = { sequence: null, downloadedAt: null } as const;

const stateOf = (now: Date, { sequence, refreshHint }: TrustBundle): BundleState => ({
  sequence: sequence === null ? null : String(sequence),
  downloadedAt: now.toISOString(),
  nextAt: after(now, refreshHint ?? DEFAULT_SECONDS),
  error: null,
});

/** Somebody who shows an earlier bundle would bring back roots that the trust domain has withdrawn. */
function inOrder(
  bundle: TrustBundle | DownloadFault,
  stored: string | null,
): TrustBundle | DownloadFault {
  if (bundle instanceof DownloadFault || stored === null) return bundle;
  const { sequence } = bundle;
  if (sequence !== null && sequence >= Number(stored)) return bundle;
  const shown = sequence === null ? 'none' : String(sequence);
  return new DownloadFault(`the sequence of the bundle is ${shown}, after ${stored}`);
}

function after(now: Date, seconds: number): string {
  const bounded = Math.min(Math.max(seconds, MIN_SECONDS), MAX_SECONDS);
  return new Date(now.getTime() + bounded * SECOND).toISOString();
}
