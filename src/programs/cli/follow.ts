import { setTimeout as delay } from 'node:timers/promises';
import { LastChange, type Operation } from '../emitted/operations.js';
import type { Client } from './client.js';
import { CommandError } from './command-error.js';
import { Refusal } from './refusal.js';

/** A subscription that can go on behind an event. */
export interface Followed<Event> {
  readonly operation: Operation<Event, { since?: string | null | undefined }>;
  readonly cursorOf: (event: Event) => string;
}

export interface FollowOptions {
  readonly login: () => Promise<Client>;
  readonly since: string | undefined;
  /** Ends it in order. */
  readonly signal: AbortSignal;
  /** Tells where it begins, and of each connection that was lost. */
  readonly onNotice: (text: string) => void;
}

/**
 * Every event from now on or behind a cursor. A connection that is lost is made anew and goes on
 * behind the last event, so that none is left out and none comes twice.
 */
export class Follower<Event> {
  #client: Client | undefined;
  #cursor: string | undefined;
  #hasBegun = false;
  #failures = 0;

  constructor(
    private readonly followed: Followed<Event>,
    private readonly options: FollowOptions,
  ) {
    this.#cursor = options.since;
  }

  async *events(): AsyncGenerator<Event> {
    const { signal } = this.options;
    try {
      while (!signal.aborted) {
        try {
          yield* this.untilCut();
          await this.pause('the controller ended the stream');
        } catch (error) {
          await this.recover(error);
        }
      }
    } finally {
      await this.#client?.logout();
    }
  }

  private async *untilCut(): AsyncGenerator<Event> {
    const { operation, cursorOf } = this.followed;
    const { login, signal } = this.options;
    this.#client ??= await login();
    // A place to begin at, before which nothing is and behind which nothing is left out.
    this.#cursor ??= await lastChange(this.#client);
    const events = this.#client.subscribe(
      operation,
      { since: this.#cursor },
      { signal, onBegin: this.begun.bind(this) },
    );
    for await (const event of events) {
      this.#cursor = cursorOf(event);
      yield event;
    }
  }

  private begun(): void {
    this.#failures = 0;
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const place = this.#cursor === undefined ? '' : ` what comes after ${this.#cursor}`;
    this.options.onNotice(`following${place}`);
  }

  /** Waits to try again, or gives up on what would not be better then. */
  private async recover(error: unknown): Promise<void> {
    // An interrupt ends what is under way with an error, too.
    if (this.options.signal.aborted) return;
    if (!this.#hasBegun || !(error instanceof CommandError)) throw error;
    if (error instanceof Refusal) {
      if (!TEMPORARY.has(error.details.code)) throw error;
      // The session has ended; there may be another one.
      if (error.details.code === 'UNAUTHORIZED') this.#client = undefined;
      this.#cursor = error.details.cursor ?? this.#cursor;
    }
    await this.pause(error.message);
  }

  private async pause(why: string): Promise<void> {
    const { signal, onNotice } = this.options;
    const millis = Math.min(FIRST_PAUSE_MILLIS * 2 ** this.#failures, LAST_PAUSE_MILLIS);
    this.#failures += 1;
    onNotice(`${why}; connecting again in ${String(millis / 1000)} s`);
    await delay(millis, undefined, { signal }).catch(() => undefined);
  }
}

const FIRST_PAUSE_MILLIS = 500;
const LAST_PAUSE_MILLIS = 32_000;

const TEMPORARY = new Set<string | undefined>([
  'RATE_LIMITED',
  'SERVER_TOO_MANY_REQUESTS',
  'SUBSCRIBER_TOO_SLOW',
  'TIMEOUT',
  'UNAUTHORIZED',
  'UNAVAILABLE',
]);

async function lastChange(client: Client): Promise<string | undefined> {
  const { changes } = await client.run(LastChange, {});
  return changes.nodes[0]?.id;
}
