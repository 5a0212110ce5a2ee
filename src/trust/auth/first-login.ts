import { ApiError, failure } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { merged } from '../../base/merged.js';
import { isStorableText } from '../../base/storable.js';
import { externalJwtSigners, type KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import {
  idleIdentities,
  identities,
  type ClaimedIdentity,
} from '../../data/rows/identity/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Origin, Transaction } from '../../kernel/request/store-port.js';
import { insertIn, originOf } from '../../kernel/write/write.js';
import { authPolicyOfCreated, claimedIdentity, type SignedClaim } from './claimed-identity.js';
import { oneJoinsAtATime } from './one-joins-at-a-time.js';
import { refusedClaim } from './refused-jwt.js';
import { claimTexts } from './rules/index.js';

/** A valid token of somebody for whom there is no identity yet. */
interface Newcomer extends SignedClaim {
  readonly claims: unknown;
}

const MAX_NAME_CHARACTERS = 255;

/**
 * Creates the identity that a valid token names, unless another login has just done so. The signer is the author.
 * @throws RefusedLogin, ApiError INVALID_AUTH if the signer changes meanwhile
 */
export async function createAtFirstLogin(
  ctx: RequestContext,
  newcomer: Newcomer,
): Promise<ClaimedIdentity> {
  const { signer } = newcomer;
  try {
    return await ctx.store.write(originBy(ctx, signer), (tx) => createIn(ctx, tx, newcomer));
  } catch (error) {
    const isRuleViolation = error instanceof ApiError && error.code === 'ACCESS_RULE_VIOLATED';
    throw isRuleViolation ? refusedClaim(signer, 'FORBIDDEN_IDENTITY') : error;
  }
}

/** A session in the request does not count here. */
const originBy = (ctx: RequestContext, { id, name }: KnownSigner): Origin =>
  merged(originOf(ctx), {
    actorId: id,
    apiSessionId: null,
    reason: `the first login by the external JWT signer ${name}`,
    overridesRules: false,
  });

async function createIn(
  ctx: RequestContext,
  tx: Transaction,
  newcomer: Newcomer,
): Promise<ClaimedIdentity> {
  const { signer, claim } = newcomer;
  await oneJoinsAtATime(tx);
  const earlier = await claimedIdentity(tx, newcomer, ctx.now());
  if (earlier) return earlier;
  if (!(await externalJwtSigners.holdUnchanged(tx, signer))) throw failure('INVALID_AUTH');
  const id = newId();
  await insertIn(tx, ctx.catalog.resources.Identity, {
    id,
    name: await freeName(tx, newcomer, id),
    typeId: 'Default',
    externalId: claim,
    authPolicyId: authPolicyOfCreated(signer),
    createdBySignerId: signer.id,
    isPending: signer.newIdentitiesArePending,
  });
  await idleIdentities.storeUse(tx, id);
  const created = await claimedIdentity(tx, newcomer, ctx.now());
  if (!created) throw failure('INVALID_AUTH');
  return created;
}

/** The name that the token gives the identity. Of two with the same name, the later one has its id behind it. */
async function freeName(
  tx: Transaction,
  { signer, claim, claims }: Newcomer,
  id: string,
): Promise<string> {
  const { enrollNameClaimsSelector: selector } = signer;
  const claimed = selector === null ? [] : claimTexts(claims, selector);
  const name = claimed.map((text) => text.trim()).find(isUsableAsName) ?? claim;
  return (await identities.isNameTaken(tx, name)) ? `${name} (${id})` : name;
}

const isUsableAsName = (text: string): boolean =>
  text !== '' && text.length <= MAX_NAME_CHARACTERS && isStorableText(text);
