import type { Change } from '../kernel/request/store-port.js';
import type { DisconnectReason } from './router-commands.js';

/** What changes of the model mean to routers. */

export interface BarredRouter {
  readonly routerId: string;
  /** Of the change; connections made after it are fine. */
  readonly revision: number;
  readonly reason: DisconnectReason;
}

const ROUTERS = ['EdgeRouter', 'TransitRouter'];

/** Routers that may not be connected any more. */
export function barredRouters(changes: readonly Change[]): BarredRouter[] {
  return changes.flatMap(({ resource, id, operation, revision, after }) => {
    if (!ROUTERS.includes(resource)) return [];
    const barred = (reason: DisconnectReason): BarredRouter[] => [
      { routerId: id, revision, reason },
    ];
    if (operation === 'delete') return barred('deleted');
    if (after?.disabled === true) return barred('disabled');
    return operation === 'update' && after?.isVerified === false ? barred('re-enrolled') : [];
  });
}

export interface SessionNews {
  /** API sessions that began or changed, or whose certificates did. */
  readonly changed: readonly string[];
  /** Identities whose certificates changed: so did all their sessions. */
  readonly identities: readonly string[];
  /** API sessions that ended. */
  readonly removed: readonly string[];
  /** Sessions for services that ended. */
  readonly sessions: readonly string[];
}

export function sessionNews(changes: readonly Change[]): SessionNews {
  const news = {
    changed: new Set<string>(),
    identities: new Set<string>(),
    removed: new Set<string>(),
    sessions: new Set<string>(),
  };
  for (const change of changes) MEANINGS[change.resource]?.(change, news);
  return {
    changed: [...news.changed].filter((id) => !news.removed.has(id)),
    identities: [...news.identities],
    removed: [...news.removed],
    sessions: [...news.sessions],
  };
}

type Gathered = Readonly<Record<keyof SessionNews, Set<string>>>;

/** What a change of a resource adds to the news. */
const MEANINGS: Readonly<Record<string, (change: Change, news: Gathered) => void>> = {
  ApiSession: ({ id, operation }, { changed, removed }) =>
    (operation === 'delete' ? removed : changed).add(id),
  ApiSessionCertificate: ({ before, after }, { changed }) =>
    changed.add(String((after ?? before)?.apiSessionId)),
  Authenticator: ({ before, after }, { identities }) => {
    if (before?.fingerprint === after?.fingerprint) return;
    identities.add(String((after ?? before)?.identityId));
  },
  Session: ({ id, operation }, { sessions }) => {
    if (operation === 'delete') sessions.add(id);
  },
};
