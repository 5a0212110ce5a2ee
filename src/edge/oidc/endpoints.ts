import { failure } from '../../base/errors.js';
import { merged } from '../../base/merged.js';
import {
  answerWithCode,
  authorize,
  authorizeDevice,
  confirm,
  discoveryDocument,
  enroll,
  introspect,
  issue,
  logIn,
  logOut,
  missingProofs,
  proveCode,
  requireProved,
  requireRequest,
  revoke,
  unenroll,
  userInfo,
  type LoginProgress,
  type SetUp,
} from '../../trust/oidc/index.js';
import { confirmDevice, enterUserCode, showCodeEntry, showDecision } from './device-endpoints.js';
import type { Endpoint, EndpointRequest } from './oidc-endpoint.js';
import {
  certificatePage,
  codePage,
  enrollPage,
  firstCodeAgain,
  loginPage,
  wantsPage,
} from './login-pages.js';
import { shownQueries } from './shown-queries.js';
import { json, redirect, text, withHeaders, type OidcReply } from './oidc-reply.js';
import { LoginBody } from './read-login.js';

type Serve = Endpoint['serve'];

const oauth = (serve: Serve): Endpoint => ({ form: 'oauth', serve });
const login = (serve: Serve): Endpoint => ({ form: 'login', serve });

/** Reads its form alone: addresses are kept in logs (RFC 6749 3.2, RFC 7009 2.1). */
const posted = (serve: Serve): Endpoint =>
  oauth((request) => serve(merged(request, { parameters: request.sent.form })));

const authorization = oauth(async (request) => redirect(await authorize(request)));
const endOfSession = oauth(async (request) => redirect(await logOut(request)));
const claimsOfUser = login(async (request) => json(await userInfo(request)));
const revocation = posted(async (request) => {
  await revoke(request);
  return { status: 200 };
});
/** An answer about tokens, which must not be stored on the way (RFC 6749 5.1). */
const unstored = (body: object): OidcReply =>
  withHeaders(json(body), { 'cache-control': 'no-store', pragma: 'no-cache' });
const isAlive = oauth(() => Promise.resolve(json({ status: 'ok' })));

/** Where a login begins: a page for people, and the id of the request for programs. */
const showLogin =
  (name: string): Serve =>
  async (asked) => {
    const { ctx, query } = asked;
    const id = query.get('authRequestID') ?? query.get('id') ?? '';
    const request = await requireRequest(ctx, id);
    return withHeaders(firstPage(name, asked, request), { 'auth-request-id': request.id });
  };

function firstPage(
  name: string,
  asked: EndpointRequest,
  request: { readonly id: string },
): OidcReply {
  if (name === 'username' || name === 'password') return loginPage(request);
  if (name === 'cert' && wantsPage(asked)) return certificatePage(request);
  return text(`POST to this address to log in by ${name}`);
}

const proveFirst =
  (method: string): Serve =>
  async (request) => {
    const { ctx, query, sent } = request;
    const body = new LoginBody(query, sent);
    const progress = await logIn(ctx, body.id, {
      method,
      username: body.text('username'),
      password: body.text('password'),
      configTypes: body.configTypes,
      envInfo: body.envInfo,
      sdkInfo: body.sdkInfo,
      csrPem: body.text('csrPem'),
      isOnPage: wantsPage(request),
    });
    return replyTo(request, body.id, progress);
  };

/** The endpoints by their path below the issuer, and by method. */
export const ENDPOINTS: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = {
  '/.well-known/openid-configuration': {
    GET: oauth(({ ctx, issuer }) => {
      const { algorithm } = ctx.modules.tokenKeys.signer();
      return Promise.resolve(json(discoveryDocument(issuer, algorithm.jws)));
    }),
  },
  '/keys': { GET: oauth(async ({ ctx }) => json(await ctx.modules.tokenKeys.jwks())) },
  '/authorize': { GET: authorization, POST: authorization },
  '/authorize/callback': {
    GET: login(async ({ ctx, query, issuer }) => {
      const login = { id: query.get('id') ?? '', key: query.get('key'), issuer };
      return redirect(await answerWithCode(ctx, login));
    }),
  },
  '/device_authorization': {
    POST: posted(async (request) => unstored(await authorizeDevice(request))),
  },
  '/device': { GET: login(showCodeEntry), POST: { form: 'user code', serve: enterUserCode } },
  '/device/confirm': { GET: login(showDecision), POST: login(confirmDevice) },
  '/oauth/token': { POST: posted(async (request) => unstored(await issue(request))) },
  '/oauth/introspect': { POST: posted(async (request) => unstored(await introspect(request))) },
  '/userinfo': { GET: claimsOfUser, POST: claimsOfUser },
  '/revoke': { POST: revocation },
  // The public console revokes here.
  '/oauth/revoke': { POST: revocation },
  '/end_session': { GET: endOfSession, POST: endOfSession },
  '/logged-out': { GET: oauth(() => Promise.resolve(text('signed out successfully'))) },
  '/healthz': { GET: isAlive },
  '/ready': { GET: isAlive },
  ...loginEndpoints(),
  '/login/totp': { POST: login(proveTotp) },
  '/login/totp/enroll': { POST: login(beginTotp), DELETE: login(removeTotp) },
  '/login/totp/enroll/verify': { POST: login(confirmTotp) },
  '/login/auth-queries': { GET: login(showMissing) },
};

function loginEndpoints(): Record<string, Readonly<Record<string, Endpoint>>> {
  const methods = {
    username: 'password',
    password: 'password',
    cert: 'cert',
    'ext-jwt': 'ext-jwt',
  };
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      `/login/${name}`,
      { GET: login(showLogin(name)), POST: login(proveFirst(method)) },
    ]),
  );
}

async function proveTotp(request: EndpointRequest): Promise<OidcReply> {
  const body = new LoginBody(request.query, request.sent);
  const progress = await proveCode(request.ctx, body.id, body.text('code') ?? '');
  return replyTo(request, body.id, progress);
}

async function beginTotp(request: EndpointRequest): Promise<OidcReply> {
  const body = new LoginBody(request.query, request.sent);
  const setUp = setUpOf(body);
  if (!wantsPage(request)) return json(await enroll(request.ctx, setUp), 201);
  // A browser that loads the page again shows the secret of the new start.
  return enrollPage(setUp, await enroll(request.ctx, setUp, { replacesPending: true }));
}

async function removeTotp({ ctx, query, sent }: EndpointRequest): Promise<OidcReply> {
  const body = new LoginBody(query, sent);
  await unenroll(ctx, setUpOf(body), body.text('code') ?? '');
  return json({});
}

async function confirmTotp(request: EndpointRequest): Promise<OidcReply> {
  const body = new LoginBody(request.query, request.sent);
  const setUp = setUpOf(body);
  try {
    const progress = await confirm(request.ctx, setUp, body.text('code') ?? '');
    return replyTo(request, body.id, progress);
  } catch (error) {
    const page = wantsPage(request) ? firstCodeAgain(error, setUp) : undefined;
    if (page) return page;
    throw error;
  }
}

const setUpOf = (body: LoginBody): SetUp => ({ id: body.id, key: body.text('key') });

async function showMissing({ ctx, query }: EndpointRequest): Promise<OidcReply> {
  const { authQueries } = await missingProofs(await requireProved(ctx, query.get('id') ?? ''));
  return json({ authQueries: shownQueries(authQueries) });
}

/** The way on for a complete login, or what is missing: as JSON for programs, as a page for people. */
function replyTo(request: EndpointRequest, id: string, progress: LoginProgress): OidcReply {
  if ('key' in progress) {
    return redirect(`${request.issuer}${progress.path}?id=${id}&key=${progress.key}`);
  }
  const authQueries = shownQueries(progress.authQueries);
  const totp = authQueries.find(({ typeId }) => typeId === 'TOTP');
  const headers = {
    ...(totp ? { 'totp-required': 'true' } : {}),
    ...(progress.challenge === undefined ? {} : { 'www-authenticate': progress.challenge }),
  };
  const setUp = { id, key: progress.pageKey };
  const page = wantsPage(request) ? nextPage(setUp, totp) : undefined;
  return withHeaders(page ?? json({ authQueries }), headers);
}

function nextPage(
  setUp: SetUp,
  totp: { readonly isTotpEnrolled?: boolean } | undefined,
): OidcReply {
  if (!totp)
    throw failure('UNAUTHORIZED', 'a token of another issuer is required beside the login');
  return codePage(setUp, totp.isTotpEnrolled === true);
}
