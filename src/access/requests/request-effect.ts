import { notFound } from '../../base/errors.js';
import { accessRequests } from '../../data/rows/access-request/index.js';
import { accessRules } from '../../data/rows/policy/index.js';
import { services } from '../../data/rows/service/index.js';
import {
  attribute,
  described,
  id,
  int,
  objects,
  text,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { ACCESS_TYPE } from '../../kernel/declare/resource.js';
import type { Caller, RequestContext } from '../../kernel/request/context.js';
import { approvedValue, writtenAttributes, type EntityValue } from '../../kernel/policy/index.js';
import {
  accessDelta,
  newViolations,
  rowChange,
  type AccessModel,
  type RowChange,
} from '../analysis/index.js';

/** The effect names at most so many services. */
const MAX_GAINED = 100;

@described('Access of the identity to a service.')
class RequestedAccess {
  @attribute(id(), { description: 'Id of the service.' })
  readonly serviceId!: string;

  @attribute(text(), { description: 'Its name.' })
  readonly serviceName!: string;

  @attribute(ACCESS_TYPE, { description: 'Dialing or hosting.' })
  readonly type!: ValueOf<typeof ACCESS_TYPE>;
}

@described('An access rule that refuses the grant, with the first service.')
class RefusingRule extends RequestedAccess {
  @attribute(id(), { description: 'Id of the rule.' })
  readonly ruleId!: string;

  @attribute(text(), { description: 'Its name.' })
  readonly ruleName!: string;
}

@described('The effect of the grant of a request, or of an approval, on the present network.')
export class AccessRequestEffect {
  @attribute(int(), { description: 'The number of services that the identity gains.' })
  readonly gainedCount!: number;

  @attribute(objects(() => RequestedAccess), { description: 'The first 100 of them.' })
  readonly gained!: readonly RequestedAccess[];

  @attribute(objects(() => RefusingRule), {
    description: 'The access rules that refuse the grant.',
  })
  readonly violations!: readonly RefusingRule[];
}

/**
 * Simulates the grant of a request, for those who may decide on it.
 * @throws ApiError NOT_FOUND for others
 */
export async function requestEffect(
  ctx: RequestContext,
  caller: Caller,
  requestId: string,
): Promise<AccessRequestEffect> {
  const request = await accessRequests.awaited(ctx.store, requestId, caller);
  if (!request) throw notFound(ctx.catalog.resources.AccessRequest.label, requestId);
  const model = ctx.modules.analyst.model(ctx);
  const identity = model.entity('identity', request.identityId);
  if (!identity) return { gainedCount: 0, gained: [], violations: [] };
  return effectOf(ctx, model, withAttribute(model, identity, request.roleAttribute));
}

/**
 * Simulates the approval of an identity that is pending.
 * @throws ApiError NOT_FOUND
 */
export async function approvalEffect(
  ctx: RequestContext,
  identityId: string,
): Promise<AccessRequestEffect> {
  const model = ctx.modules.analyst.model(ctx);
  const identity = model.entity('identity', identityId);
  if (!identity) throw notFound(ctx.catalog.resources.Identity.label, identityId);
  return effectOf(ctx, model, { kind: 'identity', id: identityId, value: approvedValue(identity) });
}

/** Simulates a change of an identity: the access that it gains, and the rules that refuse it. */
async function effectOf(
  ctx: RequestContext,
  model: AccessModel,
  change: RowChange,
): Promise<AccessRequestEffect> {
  const { analyst } = ctx.modules;
  const among = { identities: [change.id] };
  const { gained } = await analyst.run(accessDelta(model, change, among, MAX_GAINED));
  const rules = await accessRules.all(ctx.store);
  const violations = await analyst.run(newViolations(model, [change], rules));
  const ruleNames = new Map(rules.map((rule) => [rule.id, rule.name]));
  return {
    gainedCount: gained.totalCount,
    gained: await withServiceNames(ctx, gained.pairs),
    violations: await withServiceNames(
      ctx,
      violations.map(({ ruleId, ...pair }) => ({
        ...pair,
        ruleId,
        ruleName: ruleNames.get(ruleId) ?? '',
      })),
    ),
  };
}

const withAttribute = (model: AccessModel, identity: EntityValue, name: string): RowChange =>
  rowChange(model, {
    kind: 'identity',
    id: identity.id,
    update: { attributes: [...new Set([...writtenAttributes(identity), name])] },
  });

async function withServiceNames<P extends { readonly serviceId: string }>(
  { store }: RequestContext,
  pairs: readonly P[],
): Promise<(P & { readonly serviceName: string })[]> {
  const names = await services.names(
    store,
    pairs.map(({ serviceId }) => serviceId),
  );
  const nameOf = new Map(names.map(({ id: serviceId, name }) => [serviceId, name]));
  return pairs.map((pair) => ({ ...pair, serviceName: nameOf.get(pair.serviceId) ?? '' }));
}
