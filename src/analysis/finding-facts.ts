import { terminators } from '../data/terminator/index.js';
import { accessRules, edgeRouterPolicies } from '../data/policy/index.js';
import type { FindingFacts } from './findings.js';
import type { RequestContext } from '../kernel/request/context.js';
import { certificateAuthorities } from '../data/certificate-authority/index.js';
import { adminsWithoutSecondFactor } from './identity-table.js';

/** The log of the past has policies only. With these facts, no finding arises from missing data. */
export const pastFacts = async (ctx: RequestContext): Promise<FindingFacts> => ({
  hasTerminators: () => true,
  unverifiedAuthorities: [],
  adminsWithoutSecondFactor: [],
  accessRules: [],
  isSystem: await systemPolicies(ctx),
});

/** The policies of routers with a tunneler are the only system policies. */
async function systemPolicies({ store }: RequestContext): Promise<FindingFacts['isSystem']> {
  const ids = new Set(await edgeRouterPolicies.idsOfSystem(store));
  return (kind, id) => kind === 'edgeRouterPolicy' && ids.has(id);
}

/** Reads the facts that findings need besides the policies, in five statements. */
export async function findingFacts(ctx: RequestContext): Promise<FindingFacts> {
  const { store } = ctx;
  const [hosted, authorities, admins, rules, isSystem] = await Promise.all([
    terminators.hostedServices(store),
    unverifiedAuthorities(store),
    hostedServices(store),
    certificateAuthorities.unverified(store),
    adminsWithoutSecondFactor(store),
    accessRules.all(store),
    systemPolicies(ctx),
  ]);
  const services = new Set(hosted);
  return {
    hasTerminators: (id) => services.has(id),
    unverifiedAuthorities: authorities.filter(({ uses }) => uses > 0),
    adminsWithoutSecondFactor: admins,
    accessRules: rules,
    isSystem,
  };
}
