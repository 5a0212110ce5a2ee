import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../base/errors.js';
import type { AuthorizationRequest } from '../../data/rows/authorization/index.js';
import { qrCodePng, type MfaView } from '../../trust/auth/index.js';
import { OIDC_PATH, type Parameters, type SetUp } from '../../trust/oidc/index.js';
import type { OidcReply } from './oidc-reply.js';
import { escaped, page } from './oidc-page.js';

/*
 * The pages of a login in a browser. They need no script: each form is sent to an endpoint of the login,
 * which answers with the next page or the way back to the client.
 */

/** Whether a client asks for pages, as browsers do. */
export const wantsPage = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
  headers.accept?.includes('text/html') === true;

const form = (action: string, id: string, fields: string, button: string): string =>
  `<form method="post" action="${OIDC_PATH}/login/${action}?id=${encodeURIComponent(id)}">
${fields}
<button type="submit">${button}</button>
</form>`;

const PASSWORD_FIELDS = `<label for="username">Username</label>
<input id="username" name="username" autocomplete="username" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>`;

const CODE_FIELDS = `<label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="13" required autofocus>`;

/** A form of the set-up of a second factor; its key is in no address, since logs have those. */
const setUpForm = (
  action: string,
  { id, key = '' }: SetUp,
  fields: string,
  button: string,
): string =>
  form(action, id, `<input type="hidden" name="key" value="${escaped(key)}">\n${fields}`, button);

const firstCodeForm = (setUp: SetUp): string =>
  setUpForm('totp/enroll/verify', setUp, CODE_FIELDS, 'Continue');

/** Asks for a username and a password. */
export const loginPage = ({ id }: Pick<AuthorizationRequest, 'id'>): OidcReply =>
  page({ title: 'Log in', main: form('password', id, PASSWORD_FIELDS, 'Log in') });

/** Offers the login by the certificate that the browser shows, or by password. */
export const certificatePage = ({ id }: Pick<AuthorizationRequest, 'id'>): OidcReply =>
  page({
    title: 'Log in',
    main: `<p>Your browser shows a certificate.</p>
${form('cert', id, '', 'Log in by certificate')}
<p><a href="${OIDC_PATH}/login/username?authRequestID=${encodeURIComponent(id)}">Log in by password</a></p>`,
  });

/** Asks for a one-time code, or offers to set up a second factor. */
export const codePage = (setUp: SetUp, isEnrolled: boolean): OidcReply =>
  isEnrolled
    ? page({
        title: 'Second factor',
        main: `<p>Enter the code of your authenticator application, or a recovery code.</p>
${form('totp', setUp.id, CODE_FIELDS, 'Continue')}`,
      })
    : page({
        title: 'Second factor',
        main: `<p>Your login needs a second factor, and you have none yet.</p>
${setUpForm('totp/enroll', setUp, '', 'Set it up')}`,
      });

/** Shows the secret of a new second factor, and asks for its first code. */
export async function enrollPage(
  setUp: SetUp,
  { provisioningUrl, recoveryCodes }: MfaView,
): Promise<OidcReply> {
  const url = provisioningUrl ?? '';
  const png = (await qrCodePng(url)).toString('base64');
  const codes = (recoveryCodes ?? []).map((code) => `<li><code>${escaped(code)}</code></li>`);
  return page({
    status: 201,
    title: 'Set up your second factor',
    main: `<p>Scan this with your authenticator application.</p>
<img alt="QR code of the address below" src="data:image/png;base64,${png}" width="200" height="200">
<p><code>${escaped(url)}</code></p>
<p>Keep these recovery codes in a safe place. Each works once.</p>
<ul>${codes.join('')}</ul>
${firstCodeForm(setUp)}`,
  });
}

const TEXTS: Readonly<Record<string, string>> = {
  INVALID_AUTH: 'The username or the password is wrong, or this login is not allowed.',
  COULD_NOT_VALIDATE: 'Please enter a username and a password.',
  MFA_INVALID_TOKEN: 'The code is wrong or was used before.',
  SERVER_TOO_MANY_REQUESTS: 'Too many logins failed. Please try again in a minute.',
};

const alertOf = (text: string): string => `<p role="alert">${escaped(text)}</p>`;

/** Asks for the first code of a new second factor again; undefined for a failure that ends the set-up. */
export function firstCodeAgain(error: unknown, setUp: SetUp): OidcReply | undefined {
  if (!(error instanceof ApiError) || error.code !== 'MFA_INVALID_TOKEN') return undefined;
  const main = `${alertOf(TEXTS[error.code] ?? '')}\n${firstCodeForm(setUp)}`;
  return page({ title: 'Set up your second factor', main, status: error.status });
}

/** Says why a step failed, and offers it once more where that can help. */
export function errorPage(error: ApiError, query: Parameters): OidcReply {
  const text = TEXTS[error.code] ?? 'This login has ended. Please begin again in your application.';
  const alert = alertOf(text);
  const isCode = error.code === 'MFA_INVALID_TOKEN';
  const id = query.get('authRequestID') ?? query.get('id') ?? '';
  if (id === '' || TEXTS[error.code] === undefined) {
    return page({ title: 'Log in', main: alert, status: error.status });
  }
  const again = isCode
    ? form('totp', id, CODE_FIELDS, 'Continue')
    : form('password', id, PASSWORD_FIELDS, 'Log in');
  return page({
    title: isCode ? 'Second factor' : 'Log in',
    main: `${alert}\n${again}`,
    status: error.status,
  });
}
