import type { InProcess } from '../../support/in-process.js';
import { unique } from './client.js';
import { inSession, newUser, tokenOf } from './in-process-logins.js';
import { secretIn } from './one-time-code.js';

export const VERIFY = 'mutation ($code: String!) { verifyCurrentMfa(code: $code) }';
export const PROVE = 'mutation ($code: String!) { authenticateMfa(code: $code) }';
export const VIEW =
  'mutation ($code: String!) { currentMfaRecoveryCodes(code: $code) { recoveryCodes } }';
export const RENEW = 'mutation ($code: String!) { createCurrentMfaRecoveryCodes(code: $code) }';
export const REMOVE = 'mutation ($code: String!) { deleteCurrentMfa(code: $code) }';

export interface NewFactor {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Begins to set a factor up in a session. */
export async function beginFactor(controller: InProcess, token: string): Promise<NewFactor> {
  await controller.read('mutation { createCurrentMfa }', {}, await inSession(controller, token));
  const { currentMfa } = await controller.read<{
    currentMfa: { provisioningUrl: string; recoveryCodes: string[] };
  }>('{ currentMfa { provisioningUrl recoveryCodes } }', {}, await inSession(controller, token));
  const { provisioningUrl, recoveryCodes } = currentMfa;
  return { secret: secretIn(provisioningUrl), recoveryCodes };
}

export interface Holder extends NewFactor {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  /** Of the session that begins the factor. */
  readonly token: string;
}

/** Somebody new whose factor is pending. */
export async function newHolder(controller: InProcess, identity = {}): Promise<Holder> {
  const user = await newUser(controller, unique('holder'), identity);
  const token = await tokenOf(controller, { ...user });
  return { ...user, token, ...(await beginFactor(controller, token)) };
}

/** Sends a code in a session: true, or the code of the refusal. */
export async function sendCode(
  controller: InProcess,
  token: string,
  operation: string,
  code: string,
): Promise<string | true> {
  const ctx = await inSession(controller, token);
  const { errors } = await controller.graph(operation, { code }, ctx);
  return errors.length === 0 ? true : (errors[0]?.code ?? 'UNEXPECTED');
}
