import type { ServiceSessionTokens } from '../auth/index.js';
import type { NewRowOf, RowOf } from '../kernel/declare/rows.js';
import type { Caller, RequestContext } from '../kernel/request/context.js';
import { ApiError, failure, invalidField, notFound } from '../base/errors.js';
import { newSortableId } from '../base/ids.js';
import type { JsonObject } from '../base/row.js';
import { sql } from '../base/sql.js';
import { deleteIn, insertIn, originOf } from '../kernel/write/write.js';
import { memberOf, type PolicyIndex, type ServicePolicyType } from '../policy/index.js';
import { failedServiceRequest, postureCauseData, type Access } from '../posture/index.js';
import { judgeAccess, type JudgeParts } from './judge-access.js';
import { recordFailure } from './service-request-failures.js';

export interface SessionRequest {
  readonly serviceId: string;
  readonly type: ServicePolicyType;
  readonly tags: JsonObject;
}

interface Parts extends JudgeParts {
  readonly index: PolicyIndex;
  readonly tokens: ServiceSessionTokens;
}

/**
 * Opens a session for a service, or gives the one that the API session has for it already.
 * @returns its id
 * @throws ApiError NOT_FOUND for a service that the caller may not see, COULD_NOT_VALIDATE when it
 *   may use it in the other way alone, INVALID_POSTURE, NO_EDGE_ROUTERS_AVAILABLE
 */
export async function openSession(
  ctx: RequestContext,
  caller: Caller,
  request: SessionRequest,
  parts: Parts,
): Promise<string> {
  const known = await findSession(ctx, caller, request);
  if (known !== undefined) return known;
  await mayOpen(ctx, caller, request, parts);
  const { identityId, apiSessionId } = caller;
  const { serviceId, type, tags } = request;
  if (parts.index.commonRouters(identityId, serviceId).length === 0) {
    throw failure('NO_EDGE_ROUTERS_AVAILABLE');
  }
  const now = ctx.now();
  const id = newSortableId(now);
  const session = { sessionId: id, serviceId, identityId, apiSessionId, type };
  const token = parts.tokens.signSessionToken({ ...session, now });
  const row = { id, token, apiSessionId, identityId, serviceId, type, tags };
  try {
    await insert(ctx, row, parts.index.linkingPolicies(identityId, serviceId, type));
  } catch (error) {
    // There is one of each kind: another request of the same client may have been faster.
    const other = await findSession(ctx, caller, request);
    if (other === undefined) throw error;
    return other;
  }
  try {
    // What was taken away meanwhile looked for sessions when there was not yet this one.
    await mayOpen(ctx, caller, request, parts);
  } catch (error) {
    await end(ctx, id);
    throw error;
  }
  return id;
}

async function mayOpen(
  ctx: RequestContext,
  caller: Caller,
  request: SessionRequest,
  parts: Parts,
): Promise<void> {
  mayUse(parts.index, caller, request);
  await posturePasses(ctx, caller, request, parts);
}

async function end(ctx: RequestContext, id: string): Promise<void> {
  const sessions = ctx.catalog.resources.Session;
  await ctx.store.write(originOf(ctx), async (tx) => {
    await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id }));
  });
}

/** What grants the session has to be there now, however old what is held in memory of it. */
async function insert(
  ctx: RequestContext,
  row: NewRowOf<'Session'> & Pick<RowOf<'Session'>, 'identityId' | 'serviceId' | 'type'>,
  granting: readonly { readonly id: string }[],
): Promise<void> {
  const { identityId, serviceId, type } = row;
  const policyIds = granting.map(({ id }) => id);
  await ctx.store.write(originOf(ctx), async (tx) => {
    // Held until the commit: who takes it away after that finds the session.
    const [held] = await tx.query(
      sql`select p.id from service s, identity i, service_policy p
        where s.id = ${serviceId}::text and i.id = ${identityId}::text
          and p.id = any(${policyIds}::text[]) and p.type = ${type}::text
          and ${memberOf('p', 'identity_roles', 'i')} and ${memberOf('p', 'service_roles', 's')}
        limit 1 for key share`,
    );
    if (!held) throw notFound('service', serviceId);
    await insertIn(tx, ctx.catalog.resources.Session, row);
  });
}

async function findSession(
  ctx: RequestContext,
  { apiSessionId }: Caller,
  { serviceId, type }: SessionRequest,
): Promise<string | undefined> {
  const [row] = await ctx.store.query(
    sql<{ id: string }>`select id from session where api_session_id = ${apiSessionId}::text
      and service_id = ${serviceId}::text and type = ${type}::text`,
  );
  return row?.id;
}

function mayUse(
  index: PolicyIndex,
  { identityId }: Caller,
  { serviceId, type }: SessionRequest,
): void {
  const permissions = index.permissions(identityId, serviceId);
  if (permissions.length === 0) throw notFound('service', serviceId);
  if (!permissions.includes(type)) throw invalidField('ServiceId', 'service not found', serviceId);
}

async function posturePasses(
  ctx: RequestContext,
  caller: Caller,
  request: SessionRequest,
  parts: Parts,
): Promise<void> {
  const { identityId, apiSessionId } = caller;
  const question = { ...request, identityId, apiSessionId };
  const [access] = await judgeAccess(parts, [question], ctx.now().getTime());
  if (!access || access.isPassing) return;
  await remember(ctx, caller, request, access);
  throw new ApiError('INVALID_POSTURE', {
    kind: 'data',
    message: 'no policy of the service has all its posture checks pass',
    data: postureCauseData(access.failures),
  });
}

async function remember(
  ctx: RequestContext,
  { identityId, apiSessionId }: Caller,
  { serviceId, type }: Pick<SessionRequest, 'serviceId' | 'type'>,
  { failures }: Access,
): Promise<void> {
  const names = await namesOf(
    ctx,
    serviceId,
    failures.map(({ policyId }) => policyId),
  );
  const service = { id: serviceId, name: names.get(serviceId) ?? '' };
  const named = failures.map((f) => ({ ...f, policyName: names.get(f.policyId) ?? '' }));
  const failed = failedServiceRequest(apiSessionId, service, type, named, ctx.now().getTime());
  await recordFailure(ctx, identityId, failed);
}

async function namesOf(
  ctx: RequestContext,
  serviceId: string,
  policyIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await ctx.store.query(
    sql<{ id: string; name: string }>`select id, name from service where id = ${serviceId}::text
      union all select id, name from service_policy where id = any(${[...policyIds]}::text[])`,
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
