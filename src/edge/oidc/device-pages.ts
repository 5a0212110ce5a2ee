import type { ApiError } from '../../base/errors.js';
import { OIDC_PATH, type AskingDevice, type DeviceLogin } from '../../trust/oidc/index.js';
import type { OidcReply } from './oidc-reply.js';
import { escaped, page } from './oidc-page.js';

/* The pages on which a person lets a device log in (RFC 8628 3.3). */

/** Longer than any spelling of a code. */
const MAX_LENGTH = 20;

const codeForm = (code: string): string => `<form method="post" action="${OIDC_PATH}/device">
<label for="user_code">Code</label>
<input id="user_code" name="user_code" value="${escaped(code.slice(0, MAX_LENGTH))}" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="${String(MAX_LENGTH)}" aria-describedby="hint" required autofocus>
<p id="hint">Continue only if your device shows this very code.</p>
<button type="submit">Continue</button>
</form>`;

/** Asks for the code that a device shows; one that the address holds still has to be sent. */
export const userCodePage = (code: string): OidcReply =>
  page({
    title: 'Log a device in',
    main: `<p>Enter the code that your device shows.</p>\n${codeForm(code)}`,
  });

/** Says why a code was refused, and asks again. */
export function refusedCodePage({ status }: ApiError): OidcReply {
  const text =
    status === 429
      ? 'Too many codes were wrong. Please try again in a minute.'
      : 'The code is wrong or has ended. Please look at your device again.';
  const main = `<p role="alert">${text}</p>\n${codeForm('')}`;
  return page({ title: 'Log a device in', main, status });
}

/** Shows which client asks, from where, and for whom; and asks for the decision. */
export const decisionPage = (
  { id, key }: DeviceLogin,
  { clientId, sender, identityName }: AskingDevice,
): OidcReply =>
  page({
    title: 'Let the device log in?',
    main: `<p>The application <strong>${escaped(clientId)}</strong> on a device at the address
<strong>${escaped(sender)}</strong> asks to act as <strong>${escaped(identityName)}</strong>.</p>
<p id="warning">Allow this only if you began it yourself, on a device of yours. A person who has sent you the code could use your
access otherwise.</p>
<form method="post" action="${OIDC_PATH}/device/confirm" aria-describedby="warning">
<input type="hidden" name="id" value="${escaped(id)}">
<input type="hidden" name="key" value="${escaped(key)}">
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Refuse</button>
</form>`,
  });

/** The end for the person; the device learns the decision by itself. */
export const decidedPage = (isApproved: boolean): OidcReply =>
  page({
    title: isApproved ? 'The device may log in' : 'The device was refused',
    main: '<p role="status">You can close this page and go back to your device.</p>',
  });
