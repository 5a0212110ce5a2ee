import type { RequestContext } from '../../kernel/request/context.js';
import { failure } from '../../base/errors.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { currentRow, originOf, patchIn } from '../../kernel/write/write.js';
import {
  decodeCertificate,
  fingerprint,
  isCurrent,
  parseCertificatePem,
  type KeyMaterial,
} from '../pki/index.js';
import { certifyKey } from './certify-key.js';
import type { EnrolledCertificates } from './enroll-identity.js';
import { verified, type RouterKind } from './verified-router.js';
import { routerNameRule, type RouterNameSettings } from './router-name-rule.js';
import { memberOf, consumeEnrollment } from './take-enrollment.js';

/** Requests for the two certificates that a router needs, as PEM. */
export interface RouterRequests {
  readonly clientCsr: string | undefined;
  readonly serverCsr: string | undefined;
}

export interface RouterEnrollmentDependencies {
  readonly keys: KeyMaterial;
  readonly names: RouterNameSettings;
}

/** Enrolls a router by one-time token. */
export async function enrollRouter(
  ctx: RequestContext,
  dependencies: RouterEnrollmentDependencies,
  method: 'erott' | 'trott',
  token: string,
  requests: RouterRequests,
): Promise<EnrolledCertificates> {
  return ctx.store.write(originOf(ctx), async (tx) => {
    const enrollment = await consumeEnrollment(ctx, tx, token, method);
    const id = memberOf(enrollment, method === 'erott' ? 'edgeRouterId' : 'transitRouterId');
    const { EdgeRouter, TransitRouter } = ctx.catalog.resources;
    const resource = method === 'erott' ? EdgeRouter : TransitRouter;
    return certifyRouter(
      ctx,
      tx,
      dependencies,
      resource,
      await currentRow(tx, resource, id),
      requests,
    );
  });
}

/** Renews the certificates of the router with the client certificate of the connection. */
export async function extendRouter(
  ctx: RequestContext,
  dependencies: RouterEnrollmentDependencies,
  requests: RouterRequests,
): Promise<EnrolledCertificates> {
  const [der] = ctx.credentials.clientChain();
  const leaf = der && decodeCertificate(der);
  if (!leaf || !isCurrent(leaf, ctx.now())) throw failure('UNAUTHORIZED');
  const print = fingerprint(leaf);
  return renew(ctx, dependencies, { fingerprint: print }, requests, false);
}

/**
 * Renews the certificates of a router that has proved itself. With `isConfirmed`, its certificate is
 * replaced only when it has confirmed the new one.
 */
export const renewRouter = (
  ctx: RequestContext,
  dependencies: RouterEnrollmentDependencies,
  routerId: string,
  requests: RouterRequests,
  isConfirmed: boolean,
): Promise<EnrolledCertificates> =>
  renew(ctx, dependencies, { id: routerId }, requests, isConfirmed);

function renew(
  ctx: RequestContext,
  dependencies: RouterEnrollmentDependencies,
  match: RouterMatch,
  requests: RouterRequests,
  isConfirmed: boolean,
): Promise<EnrolledCertificates> {
  return changeRouter(ctx, match, (tx, resource, current) => {
    if (!requests.clientCsr || !requests.serverCsr) throw failure('COULD_NOT_PROCESS_CSR');
    return certifyRouter(ctx, tx, dependencies, resource, current, requests, isConfirmed);
  });
}

/** The reason why a router can not confirm a certificate, as routers know it. */
export type ConfirmationFault =
  'INVALID_ROUTER_STATE' | 'MISSING_CLIENT_PEM' | 'INVALID_CLIENT_PEM' | 'VERIFY_ERROR';

/**
 * Replaces the certificate of a router by the new one, which the router shows that it has.
 * @throws ApiError UNAUTHORIZED for a router that is not enrolled
 */
export async function confirmRouterCertificate(
  ctx: RequestContext,
  routerId: string,
  clientPem: string,
): Promise<ConfirmationFault | undefined> {
  if (clientPem === '') return 'MISSING_CLIENT_PEM';
  const shown = fingerprintIn(clientPem);
  if (shown === undefined) return 'INVALID_CLIENT_PEM';
  return changeRouter(ctx, { id: routerId }, async (tx, resource, current) => {
    if (current.unverifiedFingerprint === null) return 'INVALID_ROUTER_STATE';
    if (current.unverifiedFingerprint !== shown) return 'VERIFY_ERROR';
    const { unverifiedCertPem: certPem } = current;
    await patchIn(tx, resource, current, verified(resource, shown, certPem));
    return undefined;
  });
}

function fingerprintIn(pem: string): string | undefined {
  try {
    return fingerprint(parseCertificatePem(pem)[0]);
  } catch {
    return undefined;
  }
}

/** An enrolled router, by its id or its certificate. */
type RouterMatch = { readonly id: string } | { readonly fingerprint: string };

/** Changes an enrolled router. */
async function changeRouter<T>(
  ctx: RequestContext,
  match: RouterMatch,
  change: (
    tx: Transaction,
    resource: Resource<RouterKind>,
    current: RowOf<RouterKind>,
  ) => Promise<T>,
): Promise<T> {
  return ctx.store.write(originOf(ctx), async (tx) => {
    const { EdgeRouter, TransitRouter } = ctx.catalog.resources;
    for (const resource of [EdgeRouter, TransitRouter]) {
      const [router] = await tx.find(resource, { ...match, isVerified: true });
      if (!router) continue;
      const current = await currentRow(tx, resource, router.id);
      // It may have been changed before it was locked.
      if (current.fingerprint !== router.fingerprint) break;
      return change(tx, resource, current);
    }
    throw failure('UNAUTHORIZED');
  });
}

async function certifyRouter(
  ctx: RequestContext,
  tx: Transaction,
  dependencies: RouterEnrollmentDependencies,
  resource: Resource<RouterKind>,
  router: RowOf<RouterKind>,
  { clientCsr, serverCsr }: RouterRequests,
  isConfirmed = false,
): Promise<EnrolledCertificates> {
  const { keys } = dependencies;
  if (!clientCsr || !serverCsr) throw failure('MISSING_OR_INVALID_CSR');
  const routerId = router.id;
  const names = await routerNameRule(tx, dependencies.names, routerId);
  const holder = { type: resource.name, id: routerId };
  const issue = (csrPem: string, kind: 'routerClient' | 'routerServer') =>
    certifyKey(ctx, tx, keys, { csrPem, profile: { kind, routerId, names }, holder });
  const client = await issue(clientCsr, 'routerClient');
  const server = await issue(serverCsr, 'routerServer');
  const values = isConfirmed
    ? { unverifiedFingerprint: client.fingerprint, unverifiedCertPem: client.chainPem }
    : { isVerified: true, ...verified(resource, client.fingerprint, client.chainPem) };
  await patchIn(tx, resource, router, values);
  return { ca: keys.caBundlePem, cert: client.chainPem, serverCert: server.chainPem };
}
