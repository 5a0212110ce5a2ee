import type { FindingFacts } from '../../analysis/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { sql } from '../../base/sql.js';
import { ruleOf, type AccessRuleRow } from '../../resources/index.js';

/** Of the past nothing is known beside the policies; this finds nothing that would need it. */
export const pastFacts = async (ctx: RequestContext): Promise<FindingFacts> => ({
  hasTerminators: () => true,
  unverifiedAuthorities: [],
  adminsWithoutSecondFactor: [],
  accessRules: [],
  isSystem: await systemPolicies(ctx),
});

type IdRow = { id: string };

const idOf = ({ id }: IdRow): string => id;

/** Those of routers with a tunneler, which are never another policy's. */
async function systemPolicies({ store }: RequestContext): Promise<FindingFacts['isSystem']> {
  const rows = await store.query(sql<IdRow>`select id from edge_router_policy where is_system`);
  const ids = new Set(rows.map(idOf));
  return (kind, id) => kind === 'edgeRouterPolicy' && ids.has(id);
}

type AuthorityRow = { id: string; uses: number };

/** What findings need besides the policies, in five statements. */
export async function findingFacts(ctx: RequestContext): Promise<FindingFacts> {
  const { store } = ctx;
  const [hosted, authorities, admins, rules, isSystem] = await Promise.all([
    store.query(sql<IdRow>`select distinct service_id as id from terminator`),
    store.query(
      sql<AuthorityRow>`select c.id, (select count(*)::int from authenticator a where a.ca_id = c.id)
          + (select count(*)::int from enrollment e where e.ca_id = c.id) as uses
        from certificate_authority c where not c.is_verified`,
    ),
    store.query(
      sql<IdRow>`select i.id from identity i join auth_policy p on p.id = i.auth_policy_id
        where i.is_admin and not i.is_mfa_enabled
          and (p.secondary ->> 'requireTotp') is distinct from 'true'
          and (p.secondary ->> 'requireExtJwtSigner') is null
        order by i.id`,
    ),
    store.query(sql<AccessRuleRow>`select * from access_rule order by id`),
    systemPolicies(ctx),
  ]);
  const services = new Set(hosted.map(idOf));
  return {
    hasTerminators: (id) => services.has(id),
    unverifiedAuthorities: authorities.filter(({ uses }) => uses > 0),
    adminsWithoutSecondFactor: admins.map(idOf),
    accessRules: rules.map(ruleOf),
    isSystem,
  };
}
