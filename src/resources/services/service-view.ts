import {
  attribute,
  attributes,
  bool,
  int,
  objects,
  oneOf,
  text,
  textSet,
  type ValueOf,
  type RestShape,
} from '../../kernel/declare/attribute.js';
import { services } from '../../data/rows/service/index.js';
import { link } from '../../kernel/declare/rest.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { perRequest } from '../../kernel/request/per-request.js';
import { failure } from '../../base/errors.js';
import { readable } from '../../kernel/declare/permissions.js';
import { ACCESS_TYPE } from '../../kernel/declare/resource.js';
import { textsOf, type JsonObject } from '../../base/row.js';
import { FALSE, type Sql } from '../../base/sql.js';
import { unionPredicate, type ServicePolicyType } from '../../kernel/policy/index.js';
import {
  judgeFor,
  noPostureData,
  noSessionPosture,
  postureQuerySets,
  postureTypeMeanings,
  postureTypeOf,
  queryAttributes,
  type PostureQuerySetView,
  type PostureQueryView,
  type PostureSubject,
} from '../../trust/posture/index.js';
import { identities } from '../../data/rows/identity/index.js';
import { merged } from '../../base/merged.js';

/** The view of a service for the caller, or for the identity in `asIdentity`. */

const viewersByNameOf = perRequest(() => new Map<string, Promise<string>>());

/**
 * Gives the id of the caller, or of the identity that `asIdentity` names by id or name. An identity
 * that the caller may not read counts as unknown.
 */
async function viewerOf(ctx: RequestContext, { asIdentity }: JsonObject): Promise<string> {
  if (typeof asIdentity !== 'string') return ctx.caller?.identityId ?? '';
  // All lists inside a page name the same identity.
  const viewersByName = viewersByNameOf(ctx);
  const viewer = viewersByName.get(asIdentity) ?? findViewer(ctx, asIdentity);
  viewersByName.set(asIdentity, viewer);
  return viewer;
}

async function findViewer(ctx: RequestContext, idOrName: string): Promise<string> {
  const visible = readable(ctx, ctx.catalog.resources.Identity);
  const id = visible && (await identities.findIdByIdOrName(ctx.store, idOrName, visible('e')));
  if (id === undefined) {
    throw failure('NOT_FOUND', `identity with id or name ${idOrName} not found`);
  }
  return id;
}

/** Restricts the rows to services that the caller may dial or bind, without a wider permission. */
export function visibleServices(ctx: RequestContext, alias: string): Sql {
  if (!ctx.caller) return FALSE;
  const access = ctx.modules.policy.accessibleServices(ctx.caller.identityId);
  return unionPredicate(access.sides, { kind: 'service', alias });
}

/** `Bind` before `Dial`; `Invalid` when neither, never empty: clients read the first entry. */
export const permissions = computeFrom<'Service'>()([], async (rows, ctx, options) => {
  const viewer = await viewerOf(ctx, options);
  const ids = rows.map(({ id }) => id);
  const permissionsById = ctx.modules.policy.permissionsFor(viewer, ids);
  return ids.map((id) => {
    const granted = permissionsById.get(id) ?? [];
    return granted.length > 0 ? granted : ['Invalid'];
  });
});

/** Config type name -> data, with the overrides of the viewer; `{}` unless types are requested. */
export const configByType = computeFrom<'Service'>()(['configs'], async (rows, ctx, options) => {
  const requestedTypes =
    options.configTypes === undefined
      ? (ctx.caller?.configTypes ?? [])
      : textsOf(options.configTypes).flatMap((t) => t.split(','));
  if (requestedTypes.length === 0) return rows.map(() => ({}));
  const ids = rows.map(({ id }) => id);
  const question = { identityId: await viewerOf(ctx, options), types: requestedTypes };
  const configRows = await services.configsSeenBy(ctx.store, ids, question);
  const configs = new Map(ids.map((id) => [id, [] as [string, object][]]));
  for (const { service, type, data } of configRows) configs.get(service)?.push([type, data]);
  return ids.map((id) => Object.fromEntries(configs.get(id) ?? []));
});

/** The view of a posture check for clients. */
@attributes(queryAttributes)
export class PostureQuery {
  @attribute(text(), { description: 'Id of the posture check.', restName: 'id' })
  postureCheckId!: string;

  @attribute(text(), { description: 'When the check was made (RFC 3339).' })
  createdAt!: string;

  @attribute(text(), { description: 'When the check was changed (RFC 3339).' })
  updatedAt!: string;

  @attribute(oneOf('PostureCheckTypeId', postureTypeMeanings), {
    description: 'The kind of check.',
  })
  queryType!: string;

  @attribute(bool(), { description: 'Whether it passes for the viewer now.' })
  isPassing!: boolean;

  @attribute(int(), { description: 'Seconds that a pass lasts; -1: no end.' })
  timeout!: number;

  @attribute(int(), { description: 'Seconds left; -1: no end.' })
  timeoutRemaining!: number;

  @attribute(text(), {
    description: 'The time when no more is left (RFC 3339).',
    nullable: true,
    omitEmpty: true,
  })
  timeoutAt!: string | null;
}

/** A policy that grants access to the viewer, with its checks. */
export class PostureQuerySet {
  @attribute(text(), { description: 'Id of the service policy.' })
  policyId!: string;

  @attribute(ACCESS_TYPE, { description: 'What it grants.' })
  policyType!: ValueOf<typeof ACCESS_TYPE>;

  @attribute(bool(), { description: 'Whether all checks pass.' })
  isPassing!: boolean;

  @attribute(objects(() => PostureQuery), { description: 'Its checks.' })
  postureQueries!: PostureQuery[];
}

/** The REST form of a query differs from that of the graph for some types of checks. */
const restQuery = (query: JsonObject): JsonObject => ({
  _links: { self: link(`posture-checks/${String(query.id)}`) },
  tags: {},
  ...withoutNull(postureTypeOf(String(query.queryType))?.query?.onRest?.(query) ?? query),
});

const withoutNull = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

export const POSTURE_QUERIES_ON_REST: RestShape = {
  of: (sets: readonly { readonly postureQueries: readonly JsonObject[] }[]) =>
    sets.map((set) => merged(set, { postureQueries: set.postureQueries.map(restQuery) })),
};

/** A list of the grants in their documented order. */
export const permissionsType = textSet();

/**
 * Gives one entry for each policy that links viewer and service. In a network without posture checks
 * it gives one synthetic entry for each permission: clients rely on it. A check without data fails.
 */
export const postureQueries = computeFrom<'Service'>()([], async (rows, ctx, options) => {
  const index = ctx.modules.policy;
  const viewer = await viewerOf(ctx, options);
  const checks = ctx.modules.postureChecks;
  if (checks.isEmpty) return rows.map(({ id }) => unguarded(index.permissions(viewer, id)));
  const guardOf = checks.guards();
  const guards = rows.map(({ id }) => index.linkingPolicies(viewer, id).map(guardOf));
  const isAsked = guards.flat().some((policy) => policy.checks.length > 0);
  const judge = judgeFor(isAsked ? await subjectOf(ctx, viewer) : NOTHING, ctx.now().getTime());
  return guards.map((policies) => postureQuerySets(policies, judge).map(shown));
});

const unguarded = (permissions: readonly ServicePolicyType[]): PostureQuerySet[] =>
  permissions.map((type) => ({
    policyId: `dummy ${type.toLowerCase()} policy: no posture checks defined`,
    policyType: type,
    isPassing: true,
    postureQueries: [],
  }));

const NOTHING: PostureSubject = { data: noPostureData, session: noSessionPosture };

/** The posture of another identity is evaluated without the caller's session. */
function subjectOf({ caller, modules }: RequestContext, viewer: string): Promise<PostureSubject> {
  const session = caller?.identityId === viewer ? caller.apiSessionId : undefined;
  return modules.posture.subject(viewer, session);
}

/** Null for the members that only queries of other types have. */
const ABSENT_MEMBERS: JsonObject = Object.fromEntries(
  queryAttributes.map(({ name }) => [name, null]),
);

function shownQuery({ id, ...query }: PostureQueryView): PostureQuery {
  const graphMembers = postureTypeOf(query.queryType)?.query?.onGraph?.(query);
  return { ...ABSENT_MEMBERS, timeoutAt: null, ...query, ...graphMembers, postureCheckId: id };
}

/** The graph has null for a missing value. */
const shown = ({ postureQueries: queries, ...set }: PostureQuerySetView): PostureQuerySet => ({
  ...set,
  postureQueries: queries.map(shownQuery),
});
