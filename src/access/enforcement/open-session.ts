import type { AccessUses } from '../use/index.js';
import type { ServiceSessionTokens } from '../../trust/auth/index.js';
import type { NewRowOf, RowOf } from '../../kernel/declare/rows.js';
import type { Caller, RequestContext } from '../../kernel/request/context.js';
import { ApiError, failure, invalidField, notFound } from '../../base/errors.js';
import { newSortableId } from '../../base/ids.js';
import type { JsonObject } from '../../base/row.js';
import { and, type Sql } from '../../base/sql.js';
import { servicePolicies } from '../../data/rows/policy/index.js';
import { sessions } from '../../data/rows/session/index.js';
import { deleteIn, insertIn, originOf } from '../../kernel/write/write.js';
import { memberOf, type PolicyIndex, type ServicePolicyType } from '../../kernel/policy/index.js';
import { failedServiceRequest, postureCauseData, type Access } from '../../trust/posture/index.js';
import { judgeAccess, type JudgeDependencies } from './judge-access.js';
import { recordFailure } from './service-request-failures.js';

export interface SessionRequest {
  readonly serviceId: string;
  readonly type: ServicePolicyType;
  readonly tags: JsonObject;
}

interface SessionDependencies extends JudgeDependencies {
  readonly index: PolicyIndex;
  readonly tokens: ServiceSessionTokens;
  readonly uses: Pick<AccessUses, 'record'>;
}

/**
 * Opens a session for a service, or gives the existing one of the API session. Both count as a use
 * of the access.
 * @param read gives the session of an id; undefined if it does not exist any more
 * @throws ApiError NOT_FOUND for a service that the caller may not see, COULD_NOT_VALIDATE for the
 * wrong type of access, INVALID_POSTURE, NO_EDGE_ROUTERS_AVAILABLE
 */
export async function openSession<T>(
  ctx: RequestContext,
  caller: Caller,
  request: SessionRequest,
  dependencies: SessionDependencies,
  read: (id: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { identityId, apiSessionId } = caller;
  const { serviceId, type } = request;
  // Kept rows: another controller may have ended the session, and this one not noticed yet.
  const [existing] = await ctx.store.rows(sessions.idStatement({ apiSessionId, serviceId, type }));
  const session =
    (existing && (await read(existing.id))) ??
    (await read(await openNew(ctx, caller, request, dependencies)));
  dependencies.uses.record({ identityId, serviceId, type });
  return session;
}

/** Opens a session, unless another request or controller does so at the same time; gives its id. */
async function openNew(
  ctx: RequestContext,
  caller: Caller,
  request: SessionRequest,
  dependencies: SessionDependencies,
): Promise<string> {
  const { identityId, apiSessionId } = caller;
  await mayOpen(ctx, caller, request, dependencies);
  const { serviceId, type, tags } = request;
  if (dependencies.index.commonRouters(identityId, serviceId).length === 0) {
    throw failure('NO_EDGE_ROUTERS_AVAILABLE');
  }
  const now = ctx.now();
  const id = newSortableId(now);
  const session = { sessionId: id, serviceId, identityId, apiSessionId, type };
  const token = dependencies.tokens.signSessionToken({ now, ...session });
  const row = { id, token, apiSessionId, identityId, serviceId, type, tags };
  try {
    await insert(ctx, row, dependencies.index.linkingPolicies(identityId, serviceId, type));
  } catch (error) {
    // There is at most one session of each type: another request of the client may have created it.
    const [other] = await ctx.store.query(sessions.idStatement({ apiSessionId, serviceId, type }));
    if (!other) throw error;
    return other.id;
  }
  try {
    // A policy change during the insert did not see this session, so access is checked again.
    await mayOpen(ctx, caller, request, dependencies);
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
  dependencies: SessionDependencies,
): Promise<void> {
  mayUse(dependencies.index, caller, request);
  // Clients over OpenID Connect tell their posture when they use a router, to whoever judges it.
  if (!caller.accessToken) await posturePasses(ctx, caller, request, dependencies);
}

async function end(ctx: RequestContext, id: string): Promise<void> {
  const resource = ctx.catalog.resources.Session;
  await ctx.store.write(originOf(ctx), async (tx) => {
    await deleteIn(ctx, tx, resource, await tx.find(resource, { id }));
  });
}

/** Identity and service are members of the policy. */
const IS_MEMBER: Sql = and(
  memberOf('p', 'identity_roles', { kind: 'identity', alias: 'i' }),
  memberOf('p', 'service_roles', { kind: 'service', alias: 's' }),
);

/**
 * Inserts the session if a policy in the database still grants it, since the index may be out of
 * date.
 */
async function insert(
  ctx: RequestContext,
  row: NewRowOf<'Session'> & Pick<RowOf<'Session'>, 'identityId' | 'serviceId' | 'type'>,
  policies: readonly { readonly id: string }[],
): Promise<void> {
  const policyIds = policies.map(({ id }) => id);
  await ctx.store.write(originOf(ctx), async (tx) => {
    if (!(await servicePolicies.holdGranting(tx, policyIds, row, IS_MEMBER))) {
      throw notFound('service', row.serviceId);
    }
    await insertIn(tx, ctx.catalog.resources.Session, row);
  });
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
  dependencies: SessionDependencies,
): Promise<void> {
  const { identityId, apiSessionId } = caller;
  const question = { identityId, apiSessionId, ...request };
  const [access] = await judgeAccess(dependencies, [question], ctx.now().getTime());
  if (!access || access.isPassing) return;
  await recordRefusal(ctx, caller, request, access);
  throw new ApiError('INVALID_POSTURE', {
    kind: 'data',
    message: 'no policy of the service has all its posture checks pass',
    data: postureCauseData(access.failures),
  });
}

async function recordRefusal(
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
  const namedFailures = failures.map(({ policyId, checks }) => ({
    policyId,
    policyName: names.get(policyId) ?? '',
    checks,
  }));
  const failed = failedServiceRequest(
    apiSessionId,
    service,
    type,
    namedFailures,
    ctx.now().getTime(),
  );
  await recordFailure(ctx, identityId, failed);
}

async function namesOf(
  ctx: RequestContext,
  serviceId: string,
  policyIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await servicePolicies.namesWithService(ctx.store, serviceId, policyIds);
  return new Map(rows.map((row) => [row.id, row.name]));
}
