import type { RequestContext } from '../kernel/request/context.js';
import { failure } from '../base/errors.js';
import type { RowOf } from '../kernel/declare/rows.js';
import type { Resource } from '../kernel/declare/resource.js';
import type { Transaction } from '../kernel/request/store-port.js';
import { currentRow, originOf, patchIn } from '../kernel/write/write.js';
import { decodeCertificate, fingerprint, isCurrent, type KeyMaterial } from '../pki/index.js';
import { certifyKey } from './certify-key.js';
import type { EnrolledCertificates } from './enroll-identity.js';
import { routerNameRule, type RouterNameSettings } from './router-name-rule.js';
import { referenceOf, consumeEnrollment } from './take-enrollment.js';

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
    const id = referenceOf(enrollment, method === 'erott' ? 'edgeRouterId' : 'transitRouterId');
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
  return ctx.store.write(originOf(ctx), async (tx) => {
    const { EdgeRouter, TransitRouter } = ctx.catalog.resources;
    for (const resource of [EdgeRouter, TransitRouter]) {
      const [router] = await tx.find(resource, { fingerprint: print, isVerified: true });
      if (!router) continue;
      const current = await currentRow(tx, resource, router.id);
      if (current.fingerprint !== print) break;
      if (!requests.clientCsr || !requests.serverCsr) throw failure('COULD_NOT_PROCESS_CSR');
      return certifyRouter(ctx, tx, dependencies, resource, current, requests);
    }
    throw failure('UNAUTHORIZED');
  });
}

type RouterKind = 'EdgeRouter' | 'TransitRouter';

async function certifyRouter(
  ctx: RequestContext,
  tx: Transaction,
  dependencies: RouterEnrollmentDependencies,
  resource: Resource<RouterKind>,
  router: RowOf<RouterKind>,
  { clientCsr, serverCsr }: RouterRequests,
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
  await patchIn(tx, resource, router, {
    isVerified: true,
    fingerprint: client.fingerprint,
    unverifiedFingerprint: null,
    unverifiedCertPem: null,
    // Transit routers have no attribute for the certificate.
    ...(resource.attributes.has('certPem') ? { certPem: client.chainPem } : {}),
  });
  return { ca: keys.caBundlePem, cert: client.chainPem, serverCert: server.chainPem };
}
