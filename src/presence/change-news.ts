import { isChangeOf, type Change } from '../kernel/request/store-port.js';
import type { DisconnectReason } from './router-commands.js';

/** What changes of the model mean to routers. */

export interface BarredRouter {
  readonly routerId: string;
  /** Of the change; connections made after it are fine. */
  readonly revision: number;
  readonly reason: DisconnectReason;
}

/** Routers that may not be connected any more. */
export function barredRouters(changes: readonly Change[]): BarredRouter[] {
  return changes.flatMap((change) => {
    if (!isChangeOf('EdgeRouter', change) && !isChangeOf('TransitRouter', change)) return [];
    const { id, operation, revision, after } = change;
    const barred = (reason: DisconnectReason): BarredRouter[] => [
      { routerId: id, revision, reason },
    ];
    if (operation === 'delete') return barred('deleted');
    if (after?.disabled) return barred('disabled');
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
  for (const change of changes) {
    addSessionNews(news, change);
    addCertificateNews(news, change);
  }
  return {
    changed: [...news.changed].filter((id) => !news.removed.has(id)),
    identities: [...news.identities],
    removed: [...news.removed],
    sessions: [...news.sessions],
  };
}

type Gathered = Readonly<Record<keyof SessionNews, Set<string>>>;

function addSessionNews({ changed, removed, sessions }: Gathered, change: Change): void {
  const isEnd = change.operation === 'delete';
  if (isChangeOf('ApiSession', change)) (isEnd ? removed : changed).add(change.id);
  if (isChangeOf('Session', change) && isEnd) sessions.add(change.id);
}

function addCertificateNews({ changed, identities }: Gathered, change: Change): void {
  const { before, after } = change;
  if (isChangeOf('ApiSessionCertificate', change)) {
    addId(changed, (change.after ?? change.before)?.apiSessionId);
  }
  if (isChangeOf('Authenticator', change) && before?.fingerprint !== after?.fingerprint) {
    addId(identities, (change.after ?? change.before)?.identityId);
  }
}

function addId(ids: Set<string>, id: string | undefined): void {
  if (id !== undefined) ids.add(id);
}
