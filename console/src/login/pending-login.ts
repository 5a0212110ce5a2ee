import { currentSession } from '../graph/session.js';
import type { Signer } from './signer.js';

/*
 * A login that has left for the page of a signer. It stays in the storage of this tab until the answer:
 * so an answer that this tab did not ask for is known as such.
 */

const KEY = 'overgraph.login';

/** Where signers send the browser back to. It has to be registered with them. */
export const returnAddress = (): string => `${location.origin}/console`;

export interface PendingLogin {
  readonly signer: Signer;
  readonly state: string;
  readonly nonce: string;
  /** The secret behind the challenge of PKCE. */
  readonly verifier: string;
  /** The page that asked for the login, as path, search and hash. */
  readonly returnTo: string;
}

/** The answer of a signer to a login. */
export interface LoginAnswer {
  readonly parameters: URLSearchParams;
  readonly pending: PendingLogin | undefined;
}

export function storePending(pending: PendingLogin): void {
  sessionStorage.setItem(KEY, JSON.stringify(pending));
}

/** Counts once. */
function takePending(): PendingLogin | undefined {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return text === null ? undefined : (JSON.parse(text) as PendingLogin);
  } catch {
    // A browser may forbid the storage.
    return undefined;
  }
}

/**
 * Takes an answer out of the address, before anything else reads or keeps the address. Nobody logs in
 * over a session that is open.
 */
function readAnswer(): LoginAnswer | undefined {
  const parameters = new URLSearchParams(location.search);
  const isAnswer = parameters.has('state') && (parameters.has('code') || parameters.has('error'));
  if (!isAnswer || !/^\/console\/?$/.test(location.pathname)) return undefined;
  const pending = takePending();
  history.replaceState(null, '', pending?.returnTo ?? '/console/');
  return currentSession().stage === 'open' ? undefined : { parameters, pending };
}

let answer = readAnswer();

/** Gives the answer with which the page was opened, once. */
export function takeLoginAnswer(): LoginAnswer | undefined {
  const taken = answer;
  answer = undefined;
  return taken;
}
