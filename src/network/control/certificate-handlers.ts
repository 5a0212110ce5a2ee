import { confirmRouterCertificate, renewRouter } from '../../trust/enrollment/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { FrameHandler } from './control-channel.js';
import { messages } from '../messages/index.js';
import { handle } from './handle.js';

export interface CertificateHandlerOptions {
  readonly router: () => ConnectedRouter;
  readonly context: () => RequestContext;
}

const REFUSED = 'the router can not confirm this certificate';

/**
 * The renewal of a router's certificates, in two steps: it gets new ones, stores them, and shows the
 * new certificate, which then replaces its earlier one. Its connection continues.
 */
export function certificateHandlers({
  router,
  context,
}: CertificateHandlerOptions): ReadonlyMap<number, FrameHandler> {
  return new Map<number, FrameHandler>([
    handle(
      CONTENT.extendEnrollment,
      messages.EnrollmentExtendRouterRequest,
      async ({ clientCertCsr: clientCsr, serverCertCsr: serverCsr, requireVerification }) => {
        const ctx = context();
        const { keys, enrollment } = ctx.modules;
        const dependencies = { keys, names: enrollment.routerNames };
        const requests = { clientCsr, serverCsr };
        const { id } = router();
        const issued = await renewRouter(ctx, dependencies, id, requests, requireVerification);
        router().tell(CONTENT.certificates, messages.EnrollmentCertsResponse, {
          clientCertPem: issued.cert,
          serverCertPem: issued.serverCert,
          caCertsPem: issued.ca,
        });
      },
    ),
    handle(
      CONTENT.confirmCertificate,
      messages.EnrollmentExtendRouterVerifyRequest,
      async ({ clientCertPem }, frame) => {
        const fault = await confirmRouterCertificate(context(), router().id, clientCertPem);
        const answer = fault === undefined ? {} : { code: fault, message: REFUSED };
        const body = messages.ConfirmationError.encode(answer);
        router().channel.answer(frame, CONTENT.error, body);
      },
    ),
  ]);
}
