import type { RouterCommands } from './router-commands.js';

/** The control channels of this controller. One that fails at a command does not keep it from others. */
export class Channels {
  readonly #attached = new Set<RouterCommands>();

  constructor(private readonly onError: (error: unknown) => void) {}

  get isEmpty(): boolean {
    return this.#attached.size === 0;
  }

  attach(channel: RouterCommands): () => void {
    this.#attached.add(channel);
    return () => this.#attached.delete(channel);
  }

  /** The first answer that holds anything. */
  routePath(sessionId: string): readonly string[] {
    for (const channel of this.#attached) {
      const path = channel.routePath?.(sessionId) ?? [];
      if (path.length > 0) return path;
    }
    return [];
  }

  tell(command: (channel: RouterCommands) => void): void {
    for (const channel of this.#attached) {
      try {
        command(channel);
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
