import { failure } from '../../base/errors.js';
import {
  askingDevice,
  decideDevice,
  OIDC_PATH,
  requestOfUserCode,
} from '../../trust/oidc/index.js';
import { decidedPage, decisionPage, userCodePage } from './device-pages.js';
import type { EndpointRequest } from './oidc-endpoint.js';
import { redirect, type OidcReply } from './oidc-reply.js';
import { LoginBody } from './read-login.js';

/* Where a person enters the code of a device and decides about it. The login between the two is that of others. */

/** The page for the code, which `verification_uri_complete` shows. */
export const showCodeEntry = ({ query }: EndpointRequest): Promise<OidcReply> =>
  Promise.resolve(userCodePage(query.get('user_code') ?? ''));

/** Leads from the code of a device to the login. */
export async function enterUserCode({ ctx, query, sent }: EndpointRequest): Promise<OidcReply> {
  const code = new LoginBody(query, sent).text('user_code') ?? '';
  const id = await requestOfUserCode(ctx, code);
  return redirect(`${OIDC_PATH}/login/username?authRequestID=${id}`);
}

/** The page for the decision, to which a complete login leads. */
export async function showDecision({ ctx, query }: EndpointRequest): Promise<OidcReply> {
  const login = { id: query.get('id') ?? '', key: query.get('key') ?? '' };
  return decisionPage(login, await askingDevice(ctx, login));
}

/** Stores the decision, which comes from a form alone: a link can not decide. */
export async function confirmDevice({ ctx, sent, query }: EndpointRequest): Promise<OidcReply> {
  const body = new LoginBody(query, sent);
  const decision = body.text('decision') ?? '';
  if (decision !== 'allow' && decision !== 'deny') {
    throw failure('COULD_NOT_PARSE_BODY', 'the decision must be allow or deny');
  }
  const isApproved = decision === 'allow';
  await decideDevice(ctx, { id: body.text('id') ?? '', key: body.text('key') ?? '' }, isApproved);
  return decidedPage(isApproved);
}
