/** A client has connected to a router or left it. */
export interface ClientEvent {
  readonly identityId: string;
  readonly isConnected: boolean;
  /** The time of its earliest connection; default: now. */
  readonly connectedAt?: Date;
}

/** Splits events into connected and gone clients; the last event of each identity counts. */
export function clientChanges(
  events: readonly ClientEvent[],
  now: Date,
): { readonly come: Map<string, Date>; readonly gone: string[] } {
  const last = new Map(events.map((event) => [event.identityId, event]));
  const come = new Map<string, Date>();
  const gone: string[] = [];
  for (const { identityId, isConnected, connectedAt } of last.values()) {
    if (isConnected) come.set(identityId, connectedAt ?? now);
    else gone.push(identityId);
  }
  return { come, gone };
}
