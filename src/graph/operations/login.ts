import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { loginByPassword } from '../../auth/index.js';
import type { RequestContext } from '../../kernel/context.js';
import { failure, invalidField } from '../../kernel/errors.js';
import { Needs } from '../../kernel/needs.js';
import { OPEN, permit, SESSION } from '../../kernel/permissions.js';
import { idOf, type Row } from '../../kernel/row.js';
import { sql } from '../../kernel/sql.js';
import { originOf } from '../../kernel/write.js';
import { ApiSession } from '../../resources/api-session.js';
import { Identity } from '../../resources/identity.js';
import { API_SESSIONS } from '../facts.js';
import { readOwn } from '../own.js';

@InputType({ description: 'Credentials, and what to remember of the login.' })
export class AuthenticateInput {
  @Field(() => String, { nullable: true, description: 'Username, 4 to 100 characters.' })
  username?: string;

  @Field(() => String, { nullable: true, description: 'Password, 5 to 100 characters.' })
  password?: string;

  @Field(() => [String], {
    nullable: true,
    description: 'Config types (names or ids, or `all`) to show with services.',
  })
  configTypes?: string[];
}

@Resolver(() => ApiSession)
export class LoginResolver {
  @Needs(OPEN)
  @Mutation(() => ApiSession, {
    description: 'Logs in and gives the new API session, whose `token` goes into `zt-session`.',
  })
  async authenticate(
    @Arg('method', () => String, { description: '`password`.' }) method: string,
    @Arg('input', () => AuthenticateInput, { description: 'Credentials.' })
    input: AuthenticateInput,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row | undefined> {
    if (method !== 'password') throw failure('INVALID_AUTH_METHOD');
    const username = required('username', input.username, 4);
    const password = required('password', input.password, 5);
    const proved = await loginByPassword(ctx.store, username, password, ctx.now());
    const configTypes = await configTypeIds(ctx, input.configTypes ?? []);
    const origin = { ...originOf(ctx), actorId: proved.identityId };
    const { id } = await ctx.modules
      .get(API_SESSIONS)
      .create(origin, { ...proved, ipAddress: ctx.address, configTypes });
    return readOwn(ctx, 'ApiSession', id, info);
  }

  @Needs(SESSION)
  @Mutation(() => ID, { description: 'Logs out and gives the id of the session that ended.' })
  async deleteCurrentApiSession(@Ctx() ctx: RequestContext): Promise<string> {
    const caller = permit(ctx, SESSION);
    await ctx.modules.get(API_SESSIONS).end(ctx, originOf(ctx), caller.apiSessionId);
    return caller.apiSessionId;
  }

  @Needs(SESSION)
  @Query(() => ApiSession, { description: 'The API session of the caller.' })
  async currentApiSession(
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row | undefined> {
    return readOwn(ctx, 'ApiSession', permit(ctx, SESSION).apiSessionId, info);
  }

  @Needs(SESSION)
  @Query(() => Identity, { description: 'The identity of the caller.' })
  async currentIdentity(
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row | undefined> {
    return readOwn(ctx, 'Identity', permit(ctx, SESSION).identityId, info);
  }

  @FieldResolver(() => Int, { description: 'Seconds without a request after which it ends.' })
  expirationSeconds(@Ctx() ctx: RequestContext): number {
    return ctx.modules.get(API_SESSIONS).timeoutSeconds;
  }

  @FieldResolver(() => GraphQLDateTimeISO, {
    description: 'When it ends unless another request comes.',
  })
  expiresAt(@Root() session: Row, @Ctx() ctx: RequestContext): Date {
    const { lastActivityAt, token } = session;
    const at = lastActivityAt instanceof Date ? lastActivityAt : ctx.now();
    return ctx.modules.get(API_SESSIONS).expiryOf(at, token);
  }
}

function required(field: string, value: string | undefined, min: number): string {
  if (!value) throw invalidField(field, `${field} in body is required`, '');
  if (value.length < min || value.length > 100) {
    throw invalidField(field, `${field} in body should be ${String(min)} to 100 chars long`, '');
  }
  return value;
}

/** Names become ids; unknown ones are dropped; `all` stands for itself. */
async function configTypeIds(ctx: RequestContext, asked: readonly string[]): Promise<string[]> {
  if (asked.includes('all')) return ['all'];
  if (asked.length === 0) return [];
  const rows = await ctx.store.query(
    sql`select id from config_type where id = any(${asked}::text[]) or name = any(${asked}::text[]) order by id`,
  );
  return rows.map(idOf);
}
