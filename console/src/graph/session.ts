import { useSyncExternalStore } from 'react';

/*
 * The API session of the page. The token stays in memory and in the storage of this tab, which ends with
 * it; it is never part of an address.
 */

const KEY = 'overgraph.session';

export type Stage =
  /** There was no login. */
  | 'none'
  /** The password was right, a second factor is missing. */
  | 'partial'
  | 'open'
  /** It was open, and the controller knows it no more. */
  | 'ended';

export interface SessionState {
  readonly token: string | undefined;
  readonly stage: Stage;
  /** A partial session misses a JWT of an external signer, which this page can not send. */
  readonly needsToken: boolean;
  /** Counts the logins: what was asked before one is asked again after it. */
  readonly logins: number;
}

const stored = readStored();
let state: SessionState = {
  token: stored,
  stage: stored === undefined ? 'none' : 'open',
  needsToken: false,
  logins: 0,
};
const listeners = new Set<() => void>();

function readStored(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    // A browser may forbid the storage; the token is then in memory alone.
    return undefined;
  }
}

function store(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // As above.
  }
}

function change(next: SessionState): void {
  state = next;
  store(next.stage === 'open' ? next.token : undefined);
  for (const listener of listeners) listener();
}

export const currentSession = (): SessionState => state;

export interface MissingFactors {
  readonly isPartial: boolean;
  readonly needsToken: boolean;
}

export function beginSession(token: string, { isPartial, needsToken }: MissingFactors): void {
  const { logins } = state;
  change({
    token,
    stage: isPartial ? 'partial' : 'open',
    needsToken,
    logins: isPartial ? logins : logins + 1,
  });
}

/** The missing factors are proved. */
export function completeSession(): void {
  change({ ...state, stage: 'open', logins: state.logins + 1 });
}

/** The controller no longer knows the session; the page stays as it is until the next login. */
export function sessionEnded(): void {
  if (state.stage === 'open') change({ ...state, token: undefined, stage: 'ended' });
}

export function forgetSession(): void {
  change({ ...state, token: undefined, stage: 'none' });
}

export function useSession(): SessionState {
  return useSyncExternalStore(followSession, currentSession);
}

export function followSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
