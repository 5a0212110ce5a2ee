import { useSyncExternalStore } from 'react';

/** Whether the controller answers. */
interface ConnectionState {
  readonly isReachable: boolean;
  /** Counts how often it came back: what was asked before is asked again then. */
  readonly returns: number;
}

let state: ConnectionState = { isReachable: true, returns: 0 };
const listeners = new Set<() => void>();

function change(next: ConnectionState): void {
  state = next;
  for (const listener of listeners) listener();
}

/** A request was answered. */
export function noteAnswer(): void {
  if (!state.isReachable) change({ isReachable: true, returns: state.returns + 1 });
}

/** A request got no answer. */
export function noteSilence(): void {
  if (state.isReachable) change({ ...state, isReachable: false });
}

export const currentConnection = (): ConnectionState => state;

export function followConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export const useConnection = (): ConnectionState =>
  useSyncExternalStore(followConnection, currentConnection);
