import { oidcSessions, type OidcSession } from '../../data/rows/api-session/index.js';
import { ApiError } from '../../base/errors.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { deleteIn, insertIn, originOf } from '../../kernel/write/write.js';
import { certifyKey } from '../enrollment/index.js';
import { OAuthError } from './oauth-error.js';

/** A session with the certificate that it has just got, as PEM with its chain. */
export interface CertifiedSession {
  readonly session: OidcSession;
  readonly certificate?: string;
}

/**
 * Certifies the key of a client for its session. From then on tokens of the session count only over
 * connections with that certificate, or with that of the login. An earlier one ends.
 * @throws OAuthError invalid_request for a bad request for a certificate
 */
export async function certifyClient(
  ctx: RequestContext,
  session: OidcSession,
  csrPem: string | null | undefined,
): Promise<CertifiedSession> {
  if (csrPem === null || csrPem === undefined) return { session };
  const certificate = await replaceCertificate(ctx, session, csrPem).catch(refuseRequest);
  const certified = await oidcSessions.find(ctx.store, session, ctx.now());
  if (!certified) throw new OAuthError('invalid_grant', 'the session has ended');
  return { session: certified, certificate };
}

/** The same for a session whose clients have to show a certificate; others need none. */
export const recertifyClient = (
  ctx: RequestContext,
  session: OidcSession,
  csrPem: string | undefined,
): Promise<CertifiedSession> =>
  certifyClient(ctx, session, requiresCertificate(session) ? csrPem : undefined);

/** Whether the tokens of a session count only over connections with a certificate. */
const requiresCertificate = ({
  certificateFingerprint,
  issuedFingerprint,
}: Pick<OidcSession, 'certificateFingerprint' | 'issuedFingerprint'>): boolean =>
  certificateFingerprint !== null || issuedFingerprint !== null;

function replaceCertificate(
  ctx: RequestContext,
  { id, identityId }: OidcSession,
  csrPem: string,
): Promise<string> {
  const { ApiSession, ApiSessionCertificate } = ctx.catalog.resources;
  return ctx.store.write(originOf(ctx), async (tx) => {
    // Of two requests at once, the second replaces the certificate of the first.
    const [live] = await tx.lock(ApiSession, [id]);
    if (!live) throw new OAuthError('invalid_grant', 'the session has ended');
    const issued = await certifyKey(ctx, tx, ctx.modules.keys, {
      csrPem,
      profile: { kind: 'apiSession', identityId, apiSessionId: id },
      holder: { type: 'ApiSession', id },
    });
    await deleteIn(ctx, tx, ApiSessionCertificate, await tx.find(ApiSessionCertificate, { id }));
    await insertIn(tx, ApiSessionCertificate, {
      // A session has at most one, which is found by the id of the session.
      id,
      apiSessionId: id,
      certificate: issued.chainPem,
      fingerprint: issued.fingerprint,
      subject: issued.subject,
      validFrom: issued.notBefore,
      validTo: issued.notAfter,
    });
    return issued.chainPem;
  });
}

function refuseRequest(error: unknown): never {
  const isBadRequest = error instanceof ApiError && error.code === 'COULD_NOT_PROCESS_CSR';
  throw isBadRequest ? new OAuthError('invalid_request', error.message) : error;
}
