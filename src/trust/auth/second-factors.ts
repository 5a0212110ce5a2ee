import type { AuthQuery, Caller, RequestContext } from '../../kernel/request/context.js';
import { claimedIdentities } from '../../data/rows/identity/index.js';
import type { KnownSigner } from '../../data/rows/external-jwt-signer/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { mfaQuery, signerQuery } from './auth-queries.js';
import { closest } from './ext-jwt-login.js';
import type { Failure } from './refused-jwt.js';
import { verifyExternalJwt, wwwAuthenticate, type JwksKeys } from './ext-jwt/index.js';
import type { ProvedIdentity } from './password-login.js';
import { secondaryOf, type AuthPolicySecondary, type Rights } from './rules/index.js';
import type { LoginRefusal } from '../../data/rows/login/index.js';
import { vouchesFor, type ExternalSigners } from './signers.js';

/** The second factors of a session. */
export interface SecondFactors extends AskedFactors {
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
  /** Whether the identity has enrolled a factor. */
  readonly isMfaEnabled: boolean;
}

export interface AskedFactors {
  readonly requireTotp: boolean;
  /** Ids of the signers whose JWT every request needs. */
  readonly requireExtJwtSigners: readonly string[];
}

export const needsTotp = (factors: Omit<SecondFactors, 'requireExtJwtSigners'>): boolean =>
  (factors.isMfaRequired || factors.requireTotp) && !factors.isMfaComplete;

/** Whether nothing is outstanding, whatever a request proves. */
export const asksNothing = (factors: SecondFactors): boolean =>
  !needsTotp(factors) && factors.requireExtJwtSigners.length === 0;

/**
 * The factors that a session needs: those of the current auth policy, and those that were missing
 * at the login. So a change of the policy can make a session partial, but never complete.
 */
export function askedFactors(
  policy: Partial<AuthPolicySecondary>,
  unproved: Partial<AuthPolicySecondary>,
): AskedFactors {
  const rules = [secondaryOf(policy), secondaryOf(unproved)];
  const signers = rules.flatMap(({ requireExtJwtSigner: id }) => (id === null ? [] : [id]));
  return {
    requireTotp: rules.some(({ requireTotp }) => requireTotp),
    requireExtJwtSigners: [...new Set(signers)],
  };
}

/** A session as far as the proofs of its requests are judged by it. */
interface JudgedSession extends Rights {
  readonly identityId: string;
  readonly factors: SecondFactors;
}

/** The missing proofs of a request, and the challenge that asks for them. */
export async function outstanding(
  { factors, identityId, ...rights }: JudgedSession,
  bearers: readonly string[],
  dependencies: SignerDependencies,
): Promise<Pick<Caller, 'authQueries' | 'challenge'> & { readonly refused?: LoginRefusal }> {
  const authQueries: AuthQuery[] = [];
  if (needsTotp(factors)) authQueries.push(mfaQuery(factors.isMfaEnabled));
  let challenge: string | undefined;
  const faults: Failure[] = [];
  // Checked with every request: the proof of a signer is never stored.
  for (const signerId of factors.requireExtJwtSigners) {
    const signer = await dependencies.signers.find(signerId);
    const fault = await signerFault({ signer, identityId, bearers }, dependencies);
    if (!fault) continue;
    faults.push(fault);
    authQueries.push(signerQuery(signerId, signer));
    const isHelpful = signer?.enabled === true && vouchesFor(signer, rights);
    challenge ??= wwwAuthenticate('secondary', fault, isHelpful ? [signer] : []);
  }
  const refused = refusalIn(faults);
  return { authQueries, ...(challenge === undefined ? {} : { challenge }), ...refused };
}

/** Why the first missing JWT was refused; a valid token has no fault of its own. */
const refusalIn = ([fault]: readonly Failure[]): { readonly refused?: LoginRefusal } =>
  fault ? { refused: fault.reason ?? 'TOKEN_OF_ANOTHER' } : {};

export interface SignerDependencies {
  readonly store: Rows;
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
  readonly now: () => Date;
}

/** The proof that a signer has to give for an identity. */
interface SignerProof {
  readonly signer: KnownSigner | undefined;
  readonly identityId: string;
  readonly bearers: readonly string[];
}

/** One text for a token of another identity and for a token of nobody: it betrays neither. */
const NAMES_ANOTHER: Failure = {
  error: 'invalid',
  description: 'token does not name the identity of the session',
};

/** The failure if no bearer token is a JWT of the signer for the identity; undefined if one is. */
async function signerFault(
  { signer, identityId, bearers }: SignerProof,
  { store, keys, now }: SignerDependencies,
): Promise<Failure | undefined> {
  const failures: Failure[] = [];
  for (const token of bearers.length > 0 ? bearers : [undefined]) {
    const verified = await verifyExternalJwt(token, signer ? [signer] : [], { keys, clock: now });
    if (!verified.ok) {
      failures.push(verified);
      continue;
    }
    const named = await claimedIdentities.find(store, verified.signer, verified.claim, now());
    if (named?.id === identityId && vouchesFor(verified.signer, named)) return undefined;
    failures.push(NAMES_ANOTHER);
  }
  return closest(failures);
}

/** The rules of the auth policy that a login does not satisfy yet. */
export async function unprovedBy(
  { credentials: { bearers } }: Pick<RequestContext, 'credentials'>,
  { identityId, authPolicy }: Pick<ProvedIdentity, 'identityId' | 'authPolicy'>,
  dependencies: SignerDependencies,
): Promise<Partial<AuthPolicySecondary>> {
  const { requireTotp, requireExtJwtSigner: id } = authPolicy.secondary;
  const isMissing = async (signerId: string): Promise<boolean> => {
    const signer = await dependencies.signers.find(signerId);
    return (await signerFault({ signer, identityId, bearers }, dependencies)) !== undefined;
  };
  return {
    ...(requireTotp ? { requireTotp } : {}),
    ...(id !== null && (await isMissing(id)) ? { requireExtJwtSigner: id } : {}),
  };
}
