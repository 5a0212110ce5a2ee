import { ApiError, failure } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { merged } from '../../base/merged.js';
import { isStorableText } from '../../base/storable.js';
import {
  idleIdentities,
  identities,
  type ClaimedIdentity,
} from '../../data/rows/identity/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Origin, Transaction } from '../../kernel/request/store-port.js';
import { insertIn, originOf } from '../../kernel/write/write.js';
import type { ClaimIssuer } from './claim-issuer.js';
import { authPolicyOfCreated, claimedIdentity, type IssuedClaim } from './claimed-identity.js';
import { oneJoinsAtATime } from './one-joins-at-a-time.js';
import { claimTexts } from './rules/index.js';

/** The proved claims of somebody for whom there is no identity yet. */
export interface Newcomer extends IssuedClaim {
  readonly claims: unknown;
}

const MAX_NAME_CHARACTERS = 255;

/**
 * Creates the identity that a proved claim names, unless another login has just done so. The issuer is the author.
 * @throws RefusedLogin, ApiError INVALID_AUTH if the issuer changes meanwhile
 */
export async function createAtFirstLogin(
  ctx: RequestContext,
  newcomer: Newcomer,
): Promise<ClaimedIdentity> {
  const { issuer } = newcomer;
  try {
    return await ctx.store.write(originBy(ctx, issuer), (tx) => createIn(ctx, tx, newcomer));
  } catch (error) {
    const isRuleViolation = error instanceof ApiError && error.code === 'ACCESS_RULE_VIOLATED';
    throw isRuleViolation ? issuer.refused('FORBIDDEN_IDENTITY') : error;
  }
}

/** A session in the request does not count here. */
const originBy = (ctx: RequestContext, { rules, title }: ClaimIssuer): Origin =>
  merged(originOf(ctx), {
    actorId: rules.id,
    apiSessionId: null,
    reason: `the first login by ${title}`,
    overridesRules: false,
  });

async function createIn(
  ctx: RequestContext,
  tx: Transaction,
  newcomer: Newcomer,
): Promise<ClaimedIdentity> {
  const { issuer, claim } = newcomer;
  const { rules } = issuer;
  await oneJoinsAtATime(tx);
  const earlier = await claimedIdentity(tx, newcomer, ctx.now());
  if (earlier) return earlier;
  if (!(await issuer.holdUnchanged(tx))) throw failure('INVALID_AUTH');
  const id = newId();
  await insertIn(tx, ctx.catalog.resources.Identity, {
    id,
    name: await freeName(tx, newcomer, id),
    typeId: 'Default',
    externalId: claim,
    authPolicyId: authPolicyOfCreated(rules),
    isPending: rules.newIdentitiesArePending,
    ...issuer.creator,
    ...issuer.newIdentity,
  });
  await idleIdentities.storeUse(tx, id);
  const created = await claimedIdentity(tx, newcomer, ctx.now());
  if (!created) throw failure('INVALID_AUTH');
  return created;
}

/** The name that the claims give the identity. Of two with the same name, the later one has its id behind it. */
async function freeName(
  tx: Transaction,
  { issuer, claim, claims }: Newcomer,
  id: string,
): Promise<string> {
  const { enrollNameClaimsSelector: selector } = issuer.rules;
  const claimed = selector === null ? [] : claimTexts(claims, selector);
  const name = claimed.map((text) => text.trim()).find(isUsableAsName) ?? claim;
  return (await identities.isNameTaken(tx, name)) ? `${name} (${id})` : name;
}

const isUsableAsName = (text: string): boolean =>
  text !== '' && text.length <= MAX_NAME_CHARACTERS && isStorableText(text);
