import { newSortableId } from '../../base/ids.js';
import type { KnownApiSession } from '../../data/rows/api-session/index.js';
import type { RouterPresence } from '../presence/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import { messages, type ApiSession } from '../messages/index.js';
import type { Headers } from './frame.js';
import { textValue } from './header-values.js';

/** Headers of messages about API sessions: how the router reads them, and the part of a full state. */
const SYNC_HEADER = { strategy: 1013, state: 1014 } as const;
const STRATEGY: [number, Buffer] = [SYNC_HEADER.strategy, textValue('instant')];
const CHUNK = 500;

export interface SessionSyncOptions {
  readonly router: ConnectedRouter;
  readonly apiSessions: RouterPresence['apiSessions'];
  readonly now: () => Date;
  /** Called with the sessions that the router is being told of. */
  readonly onAnnounced: (sessions: readonly KnownApiSession[]) => void;
}

/**
 * Tells a router which API sessions exist: all of them at first, then the changes. A router replaces
 * what it knows only at the end of a full state, so changes meanwhile wait for that end.
 */
export class SessionSync {
  #waiting: (() => void)[] | undefined;
  #isAgain = false;

  constructor(private readonly options: SessionSyncOptions) {}

  /** Sends all API sessions; a call while that is under way has it done once more. */
  async sendAll(): Promise<void> {
    if (this.#waiting) {
      this.#isAgain = true;
      return;
    }
    this.#waiting = [];
    try {
      do {
        this.#isAgain = false;
        await this.sendFullState();
      } while (this.isAgain());
    } finally {
      const changes = this.#waiting;
      this.#waiting = undefined;
      for (const send of changes) send();
    }
  }

  /** Sends new and changed sessions. */
  changed(sessions: readonly KnownApiSession[]): void {
    this.sendLater(() => {
      const apiSessions = sessions.map(apiSessionOf);
      this.options.router.tell(
        CONTENT.apiSessionUpdated,
        messages.ApiSessionUpdated,
        { apiSessions },
        new Map([STRATEGY, [SYNC_HEADER.state, textValue('')]]),
      );
    });
  }

  /** Sends the ends of sessions. */
  removed(ended: { readonly tokens: string[]; readonly ids: string[] }): void {
    this.sendLater(() => {
      this.options.router.tell(CONTENT.apiSessionRemoved, messages.ApiSessionRemoved, ended);
    });
  }

  private isAgain(): boolean {
    return this.#isAgain && this.options.router.channel.isOpen;
  }

  private sendLater(send: () => void): void {
    if (this.#waiting) this.#waiting.push(send);
    else send();
  }

  private async sendFullState(): Promise<void> {
    const { router, apiSessions, now, onAnnounced } = this.options;
    // A router takes a newer state in place of an unfinished one if its id sorts behind.
    const id = newSortableId(now());
    let after = '';
    for (let sequence = 0, isLast = false; !isLast && router.channel.isOpen; sequence += 1) {
      const page = await apiSessions(after, CHUNK);
      isLast = page.length < CHUNK;
      after = page.at(-1)?.id ?? after;
      onAnnounced(page);
      await router.channel.ready();
      router.tell(
        CONTENT.apiSessionAdded,
        messages.ApiSessionAdded,
        { isFullState: true, apiSessions: page.map(apiSessionOf) },
        partOf({ id, isLast, sequence }),
      );
    }
  }
}

const partOf = (part: { id: string; isLast: boolean; sequence: number }): Headers =>
  new Map([STRATEGY, [SYNC_HEADER.state, textValue(JSON.stringify(part))]]);

const apiSessionOf = ({ id, token, identityId, fingerprints }: KnownApiSession): ApiSession => ({
  id,
  token,
  identityId,
  certFingerprints: [...fingerprints],
});
