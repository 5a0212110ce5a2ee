import { joined } from '../../../base/read-slices.js';
import {
  roleAssignments,
  type ComingAttributes,
} from '../../../data/rows/role-assignment/index.js';
import { accessRequests } from '../../../data/rows/access-request/index.js';
import { terminators } from '../../../data/rows/terminator/index.js';
import {
  accessRules,
  edgeRouterPolicies,
  servicePolicies,
} from '../../../data/rows/policy/index.js';
import { FutureModel } from '../history/future-model.js';
import { PastModel } from '../history/past-model.js';
import type { AccessModel } from '../model/access-model.js';
import type { ComingInAWeek } from './ending-access.js';
import type { FindingFacts } from './findings.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { askedFactors } from '../../../trust/auth/index.js';
import { identities, timedIdentities } from '../../../data/rows/identity/index.js';
import { certificateAuthorities } from '../../../data/rows/certificate-authority/index.js';

const WEEK = 7 * 86_400_000;

/** The log of the past has policies only. With these facts, no finding arises from missing data. */
export const pastFacts = async (ctx: RequestContext): Promise<FindingFacts> => ({
  hasTerminators: () => true,
  unverifiedAuthorities: [],
  adminsWithoutSecondFactor: [],
  emergencyUses: [],
  comingAttributes: [],
  comingPolicies: [],
  endingIdentities: [],
  accessRules: [],
  isSystem: await systemPolicies(ctx),
});

/** The policies of routers with a tunneler are the only system policies. */
async function systemPolicies({ store }: RequestContext): Promise<FindingFacts['isSystem']> {
  const ids = new Set(await edgeRouterPolicies.idsOfSystem(store));
  return (kind, id) => kind === 'edgeRouterPolicy' && ids.has(id);
}

/** The administrators with one factor: neither they nor their auth policy require a second. */
async function adminsWithoutSecondFactor({ store }: RequestContext): Promise<string[]> {
  const admins = await identities.adminsWithoutMfa(store);
  const isEnough = ({ authPolicy: { secondary } }: (typeof admins)[number]): boolean => {
    const { requireTotp, requireExtJwtSigners } = askedFactors(secondary, {});
    return !requireTotp && requireExtJwtSigners.length === 0;
  };
  return admins.filter(isEnough).map(({ id }) => id);
}

const inAWeek = ({ now }: RequestContext): Date => new Date(now().getTime() + WEEK);

/** The attributes that role assignments give in a week, of identities for which some change until then. */
const comingAttributes = (ctx: RequestContext): Promise<ComingAttributes[]> =>
  joined(roleAssignments.comingAttributes(ctx.store, inAWeek(ctx)));

async function comingPolicies(ctx: RequestContext): Promise<ComingInAWeek[]> {
  const end = inAWeek(ctx);
  const policies = await joined(servicePolicies.coming(ctx.store, end));
  return policies.map((policy) => {
    const { validUntil } = policy;
    return { ...policy, isLastEnd: validUntil !== null && validUntil <= end };
  });
}

/** Reads the facts that findings need besides the policies, in nine statements. */
export async function findingFacts(ctx: RequestContext): Promise<FindingFacts> {
  const { store } = ctx;
  const [
    hosted,
    authorities,
    admins,
    emergencyUses,
    attributes,
    policies,
    ending,
    rules,
    isSystem,
  ] = await Promise.all([
    terminators.hostedServices(store),
    certificateAuthorities.unverified(store),
    adminsWithoutSecondFactor(ctx),
    accessRequests.unreviewed(store),
    comingAttributes(ctx),
    comingPolicies(ctx),
    timedIdentities.endingUntil(store, inAWeek(ctx)),
    accessRules.all(store),
    systemPolicies(ctx),
  ]);
  const services = new Set(hosted);
  return {
    hasTerminators: (id) => services.has(id),
    unverifiedAuthorities: authorities.filter(({ uses }) => uses > 0),
    adminsWithoutSecondFactor: admins,
    emergencyUses,
    comingAttributes: attributes,
    comingPolicies: policies,
    endingIdentities: ending,
    accessRules: rules,
    isSystem,
  };
}

/** The facts for a network of any time. At a time to come nothing is told of ends behind it. */
export async function factsAbout(ctx: RequestContext, model: AccessModel): Promise<FindingFacts> {
  if (model instanceof PastModel) return pastFacts(ctx);
  const facts = await findingFacts(ctx);
  return model instanceof FutureModel
    ? { ...facts, comingAttributes: [], comingPolicies: [], endingIdentities: [] }
    : facts;
}
