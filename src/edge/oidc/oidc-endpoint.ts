import type { IncomingHttpHeaders } from 'node:http';
import type { OidcRequest, Parameters } from '../../trust/oidc/index.js';
import type { OidcReply } from './oidc-reply.js';
import type { SentBody } from './read-login.js';

/** A request to an endpoint, with the body as it was sent. */
export interface EndpointRequest extends OidcRequest {
  readonly query: Parameters;
  readonly sent: SentBody;
  readonly headers: IncomingHttpHeaders;
}

/**
 * An endpoint; its refusals have the form of OAuth or that of the logins of the field. Pages for the code of
 * a device ask for it again.
 */
export interface Endpoint {
  readonly form: 'oauth' | 'login' | 'user code';
  readonly serve: (request: EndpointRequest) => Promise<OidcReply>;
}
