import { largeCache } from '../../base/large-cache.js';
import type { Change, Store } from '../../kernel/request/store-port.js';
import { sessionNews, type SessionNews } from './change-news.js';
import type { Channels } from './channels.js';
import { announcedSessions } from '../../data/rows/api-session/index.js';

/** Own changes come twice: at the commit, and from the log. */
const CACHED_CHANGES = 10_000;

/** Converts changes of sessions and certificates into commands. */
export class SessionAnnouncer {
  readonly #seenChanges = largeCache<true>(CACHED_CHANGES);

  constructor(
    private readonly store: Store,
    private readonly channels: Channels,
  ) {}

  /** Gives the announcement of the changes; announcements must run in the order of the changes. */
  announcementOf(changes: readonly Change[]): (() => Promise<void>) | undefined {
    const news = sessionNews(changes.filter((change) => this.isNew(change)));
    const lists: readonly (readonly string[])[] = Object.values(news);
    return lists.some((ids) => ids.length > 0) ? () => this.announce(news) : undefined;
  }

  private isNew({ resource, id, revision }: Change): boolean {
    const key = `${resource}:${id}:${String(revision)}`;
    if (this.#seenChanges.has(key)) return false;
    this.#seenChanges.set(key, true);
    return true;
  }

  private async announce({ changed, identities, removed, sessions }: SessionNews): Promise<void> {
    this.channels.sendToAll((channel) => {
      if (removed.length > 0) channel.apiSessionsRemoved(removed);
      if (sessions.length > 0) channel.sessionsRemoved(sessions);
    });
    try {
      const apiSessions = await announcedSessions.of(this.store, changed, identities);
      if (apiSessions.length === 0) return;
      this.channels.sendToAll((channel) => {
        channel.apiSessionsChanged(apiSessions);
      });
    } catch (error) {
      this.channels.sendToAll((channel) => {
        channel.resync();
      });
      throw error;
    }
  }
}
