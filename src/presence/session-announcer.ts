import { LRUCache } from 'lru-cache';
import type { Change, Store } from '../kernel/request/store-port.js';
import { sessionNews, type SessionNews } from './change-news.js';
import type { Channels } from './channels.js';
import { announcedOf } from './api-session-table.js';

/** Own changes are heard of twice: at the commit, and from the log. */
const REMEMBERED_CHANGES = 10_000;

/** Turns changes of sessions and certificates into commands. */
export class SessionAnnouncer {
  readonly #heard = new LRUCache<string, true>({ max: REMEMBERED_CHANGES });

  constructor(
    private readonly store: Store,
    private readonly channels: Channels,
  ) {}

  /** What there is to tell of the changes; it needs to be done in the order of the changes. */
  hear(changes: readonly Change[]): (() => Promise<void>) | undefined {
    const news = sessionNews(changes.filter((change) => this.isNew(change)));
    const lists: readonly (readonly string[])[] = Object.values(news);
    return lists.some((ids) => ids.length > 0) ? () => this.announce(news) : undefined;
  }

  private isNew({ resource, id, revision }: Change): boolean {
    const key = `${resource}:${id}:${String(revision)}`;
    if (this.#heard.has(key)) return false;
    this.#heard.set(key, true);
    return true;
  }

  private async announce({ changed, identities, removed, sessions }: SessionNews): Promise<void> {
    this.channels.tell((channel) => {
      if (removed.length > 0) channel.apiSessionsRemoved(removed);
      if (sessions.length > 0) channel.sessionsRemoved(sessions);
    });
    try {
      const known = await announcedOf(this.store, changed, identities);
      if (known.length === 0) return;
      this.channels.tell((channel) => {
        channel.apiSessionsChanged(known);
      });
    } catch (error) {
      this.channels.tell((channel) => {
        channel.resync();
      });
      throw error;
    }
  }
}
