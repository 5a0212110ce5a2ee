/** Limit of sessions in memory. Only existing ones are, so invented keys need no memory. */
const MAX_SESSIONS = 200_000;

/**
 * Live sessions in memory by one of their keys, so that only the first request of a session needs a
 * statement. A change of a session or its identity removes it.
 */
export class LiveSessions<Session> {
  readonly #byKey = new Map<string, Session>();
  readonly #loading = new Map<string, Promise<Session | undefined>>();
  /**
   * Incremented by every change that can invalidate sessions, so that the result of a running read
   * does not stay.
   */
  #generation = 0;

  constructor(private readonly read: (key: string) => Promise<Session | undefined>) {}

  get(key: string): Session | undefined {
    return this.#byKey.get(key);
  }

  delete(key: string): void {
    this.#byKey.delete(key);
  }

  /** Reads a session; several requests may share the read. */
  load(key: string): Promise<Session | undefined> {
    const pending = this.#loading.get(key);
    if (pending) return pending;
    const loading = this.readAndKeep(key).finally(() => {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    });
    this.#loading.set(key, loading);
    return loading;
  }

  /** Removes the sessions that a change concerns. */
  forget(concerns: (session: Session) => boolean): void {
    this.#generation += 1;
    // Running reads may have begun before the change.
    this.#loading.clear();
    for (const [key, session] of this.#byKey) if (concerns(session)) this.#byKey.delete(key);
  }

  private async readAndKeep(key: string): Promise<Session | undefined> {
    const generation = this.#generation;
    const session = await this.read(key);
    const isCurrent = generation === this.#generation;
    if (session && isCurrent && this.#byKey.size < MAX_SESSIONS) this.#byKey.set(key, session);
    return session;
  }
}
