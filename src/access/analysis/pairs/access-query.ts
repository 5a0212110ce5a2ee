import type { WhereInput } from '../../../kernel/filter/index.js';
import type { AccessModel } from '../model/access-model.js';
import type { AccessQuery } from './access-selection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { notFound } from '../../../base/errors.js';
import { idsMatching } from '../../../kernel/read/listing.js';
import { upperFirst } from '../../../base/names.js';
import {
  Bitset,
  parseRoles,
  type IndexedPolicy,
  type ServicePolicyType,
} from '../../../kernel/policy/index.js';

/** The entities that all pairs of a list share. */
export interface Ends {
  readonly identityId?: string | undefined;
  readonly serviceId?: string | undefined;
  readonly servicePolicyId?: string | undefined;
}

/** Conditions on the ends of pairs. */
export interface EndConditions {
  readonly type?: ServicePolicyType | null;
  readonly where?: Readonly<Partial<Record<End, object | null>>> | null;
  readonly identityFilter?: string | null;
  readonly serviceFilter?: string | null;
}

type End = 'identity' | 'service';

/**
 * Translates the arguments of a client into a query on a model.
 * @throws ApiError NOT_FOUND for an entity or a policy that the model does not contain
 */
export async function accessQuery(
  ctx: RequestContext,
  model: AccessModel,
  ends: Ends,
  conditions: EndConditions,
): Promise<AccessQuery> {
  const type = conditions.type ?? undefined;
  const policy = policyOf(model, ends.servicePolicyId);
  const where = {
    ...(await matchingEnds(ctx, model, conditions, 'identity', policy)),
    ...(await matchingEnds(ctx, model, conditions, 'service', policy)),
  };
  return {
    ...onlyOne(model, 'identity', 'identities', ends.identityId),
    ...onlyOne(model, 'service', 'services', ends.serviceId),
    ...ofType(type ?? policy?.type),
    // A policy grants nothing of the other type.
    where: policy && type && type !== policy.type ? { identities: new Bitset() } : where,
  };
}

const ofType = (type: ServicePolicyType | undefined): Pick<AccessQuery, 'type'> =>
  type ? { type } : {};

function onlyOne<N extends string>(
  model: AccessModel,
  end: End,
  name: N,
  id: string | undefined,
): Partial<Record<N, string[]>> {
  if (!id) return {};
  if (!model.entity(end, id)) throw notFound(end, id);
  return { [name]: [id] } as Partial<Record<N, string[]>>;
}

function policyOf(model: AccessModel, id: string | undefined): IndexedPolicy | undefined {
  if (!id) return undefined;
  const policy = model.policy('servicePolicy', id);
  if (!policy) throw notFound('service policy', id);
  return policy;
}

const SIDES = { identity: 'identities', service: 'services' } as const;

/** Gives the entities of one end that match the conditions and the policy, or `{}` without either. */
async function matchingEnds(
  ctx: RequestContext,
  model: AccessModel,
  conditions: EndConditions,
  end: End,
  policy: IndexedPolicy | undefined,
): Promise<Partial<Record<(typeof SIDES)[End], Bitset>>> {
  const side = SIDES[end];
  const name = `${end}Filter` as const;
  const where = conditions.where?.[end] as WhereInput | null | undefined;
  const narrowing = { filter: conditions[name] ?? null, where: where ?? null };
  const ids = await idsMatching(ctx, ctx.catalog.get(upperFirst(end)), narrowing, name);
  const matching = ids && ordinalsOf(model, end, ids);
  if (!policy) return matching ? { [side]: matching } : {};
  const roles = policy.sides[side] ?? parseRoles([]);
  const members = model.union(end, [{ roles, semantic: policy.semantic }]);
  return { [side]: matching ? members.and(matching) : members };
}

function ordinalsOf(model: AccessModel, kind: End, ids: readonly string[]): Bitset {
  const ordinals = new Bitset();
  for (const id of ids) {
    const ordinal = model.ordinalOf(kind, id);
    if (ordinal !== undefined) ordinals.set(ordinal);
  }
  return ordinals;
}
