import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Int,
  Mutation,
  Query,
  Resolver,
} from 'type-graphql';
import {
  clientInfo,
  openApiSession,
  outstanding,
  proveLogin,
  signerParts,
} from '../../../trust/auth/index.js';
import { apiSessions } from '../../../data/rows/api-session/index.js';
import type { Caller, RequestContext } from '../../../kernel/request/context.js';
import { failure } from '../../../base/errors.js';
import { link } from '../../../kernel/declare/rest.js';
import { Needs } from '../../../kernel/graph/needs.js';
import {
  BOTH,
  Rest,
  type Parameter,
  type RestAnswer,
  type RestOperation,
} from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { OPEN, PARTIAL, permit, SESSION } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { originOf } from '../../../kernel/write/write.js';
import { ApiSession } from '../../../resources/sessions/api-session.js';
import { EnvInfo, SdkInfo } from '../../../resources/identities/identity-shapes.js';
import { shownAuthQueries } from '../../../resources/trust/auth-query.js';
import { Identity } from '../../../resources/identities/identity.js';

import { readOwn, readWithSecrets } from '../../own.js';
import { merged } from '../../../base/merged.js';

/** The session of a new login; members that the query does not select are absent. */
type NewSession = Omit<SelectedOf<'ApiSession'>, 'authQueries'> & {
  readonly authQueries?: readonly object[] | undefined;
};

@InputType({ description: 'Credentials, and data to store with the session.' })
class AuthenticateInput {
  @Field(() => String, { nullable: true, description: 'Username, 4 to 100 characters.' })
  username?: string;

  @Field(() => String, { nullable: true, description: 'Password, 5 to 100 characters.' })
  password?: string;

  @Field(() => [String], {
    nullable: true,
    description: 'Config types (names or ids, or `all`) to show with services.',
  })
  configTypes?: string[];

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The system of the client: arch, domain, hostname, os, osRelease, osVersion.',
  })
  envInfo?: object;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The software of the client: appId, appVersion, branch, revision, type, version.',
  })
  sdkInfo?: object;
}

const METHOD: Parameter = {
  name: 'method',
  in: 'query',
  description: 'The method of the login.',
  required: true,
  schema: { type: 'string', enum: ['password', 'cert', 'ext-jwt'] },
};

/** An operation on the session or the identity of the caller. */
const onOwn = (
  method: RestOperation['method'],
  path: string,
  operationId: string,
): Pick<RestOperation, 'on' | 'method' | 'path' | 'operationId' | 'tag'> => ({
  on: BOTH,
  method,
  path,
  operationId,
  tag: 'authentication',
});

/** The session of the caller, as documents select it. */
interface SelectedSession {
  readonly token: string;
  readonly expirationSeconds: number;
  /** RFC 3339. */
  readonly expiresAt: string;
  readonly isCertExtendRequested: boolean;
}

const OWN_SESSION = {
  kind: 'entity',
  title: 'CurrentApiSession',
  with: ['expirationSeconds', 'expiresAt'],
} as const satisfies RestAnswer;

const NEW_SESSION: RestAnswer = {
  ...OWN_SESSION,
  // The last header makes clients with certificates extend them.
  headers: (session: SelectedSession) => ({
    'zt-session': session.token,
    'expiration-seconds': String(session.expirationSeconds),
    'expires-at': session.expiresAt,
    ...(session.isCertExtendRequested ? { 'ziti-authenticator-extend-requested': 'true' } : {}),
  }),
};

const OWN_IDENTITY: RestAnswer = {
  kind: 'entity',
  links: { self: link('current-identity'), mfa: link('current-identity/mfa') },
};

@Resolver(() => ApiSession)
export class LoginResolver {
  @Rest({
    ...onOwn('POST', '/authenticate', 'authenticate'),
    // The login itself checks the value.
    arguments: { method: ({ query }) => query.get('method')?.at(-1) ?? '' },
    parameters: [METHOD],
    isLenient: true,
    // Wrong credentials may be any text.
    anyText: true,
    errors: [401],
    answer: NEW_SESSION,
  })
  @Runs({ lane: 'first' })
  @Needs(OPEN)
  @Mutation(() => ApiSession, {
    description: 'Logs in and gives the new API session, whose `token` goes into `zt-session`.',
  })
  async authenticate(
    @Arg('method', () => String, {
      description:
        '`password`, `cert` (the client certificate of the connection) or `ext-jwt` (the bearer token of the request).',
    })
    method: string,
    @Arg('input', () => AuthenticateInput, {
      description: 'Credentials, and data to store with the session.',
    })
    input: AuthenticateInput,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<NewSession | undefined> {
    const envInfo = clientInfo(EnvInfo, input.envInfo, 'envInfo');
    const sdkInfo = clientInfo(SdkInfo, input.sdkInfo, 'sdkInfo');
    const proof = await proveLogin(ctx, method, input);
    const configTypes = input.configTypes ?? [];
    const { apiSessionId: id } = await openApiSession(ctx, proof, {
      configTypes,
      envInfo,
      sdkInfo,
    });
    const session = await readWithSecrets(ctx, 'ApiSession', id, info);
    return session && merged(session, await queriesWith(ctx, session));
  }

  @Rest(onOwn('DELETE', '/current-api-session', 'deleteCurrentAPISession'))
  @Runs({ lane: 'first' })
  @Needs(PARTIAL)
  @Mutation(() => ID, { description: 'Logs out and gives the id of the session that ended.' })
  async deleteCurrentApiSession(@Ctx() ctx: RequestContext): Promise<string> {
    const caller = permit(ctx, PARTIAL);
    await ctx.modules.apiSessions.end(ctx, originOf(ctx), caller.apiSessionId);
    return caller.apiSessionId;
  }

  @Rest({ ...onOwn('GET', '/current-api-session', 'getCurrentAPISession'), answer: OWN_SESSION })
  @Runs({ lane: 'first' })
  @Needs(PARTIAL)
  @Query(() => ApiSession, { description: 'The API session of the caller.' })
  async currentApiSession(
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'ApiSession'>> {
    const { apiSessionId, accessToken } = permit(ctx, PARTIAL);
    const session = await requireExisting(readOwn(ctx, 'ApiSession', apiSessionId, info));
    return accessToken ? merged(session, { token: accessToken.text }) : session;
  }

  @Rest({ ...onOwn('GET', '/current-identity', 'getCurrentIdentity'), answer: OWN_IDENTITY })
  @Needs(SESSION)
  @Query(() => Identity, { description: 'The identity of the caller.' })
  async currentIdentity(
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Identity'>> {
    const caller = permit(ctx, SESSION);
    const identity = await requireExisting(readOwn(ctx, 'Identity', caller.identityId, info));
    return merged(identity, grantedIn(identity, caller));
  }

  @FieldResolver(() => Int, {
    description: 'Seconds without a request after which the session ends.',
  })
  expirationSeconds(@Ctx() ctx: RequestContext): number {
    return ctx.modules.apiSessions.secondsLeft(ctx.caller);
  }
}

/** The selected rights of an identity, with those that the session of the caller adds. */
const grantedIn = (
  { isAdmin, permissions }: SelectedOf<'Identity'>,
  caller: Caller,
): Partial<Pick<SelectedOf<'Identity'>, 'isAdmin' | 'permissions'>> => ({
  ...(isAdmin === undefined ? {} : { isAdmin: isAdmin || caller.isAdmin }),
  ...(permissions === undefined
    ? {}
    : { permissions: [...new Set([...permissions, ...caller.permissions])].sort() }),
});

/** Another controller may have ended the session that this one still has in its cache. */
async function requireExisting<T>(reading: Promise<T | undefined>): Promise<T> {
  const entity = await reading;
  if (!entity) throw failure('UNAUTHORIZED');
  return entity;
}

/** Gives the open factors of the new session, where the login sent a JWT that may prove one. */
async function queriesWith(
  ctx: RequestContext,
  { id, authQueries = [] }: SelectedOf<'ApiSession'>,
): Promise<Pick<NewSession, 'authQueries'>> {
  const { bearers } = ctx.credentials;
  if (authQueries.length === 0 || bearers.length === 0) return {};
  // The document need not select the token, which finds the session.
  const token = await apiSessions.tokenOf(ctx.store, id);
  const session = token !== undefined && (await ctx.modules.apiSessions.find(token));
  if (!session) return {};
  const open = await outstanding(session, bearers, signerParts(ctx));
  return { authQueries: shownAuthQueries(open.authQueries) };
}
