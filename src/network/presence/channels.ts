import type { RouterCommands } from './router-commands.js';

/** The control channels of this controller. A failing channel does not stop a command to others. */
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

  sendToAll(command: (channel: RouterCommands) => void): void {
    for (const channel of this.#attached) {
      try {
        command(channel);
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
