import { isChangeOf, type Change } from '../../kernel/request/store-port.js';
import type { DisconnectReason } from './router-commands.js';

/** The consequences of changes for routers. */

export interface BarredRouter {
  readonly routerId: string;
  /** The revision of the change; later connections are allowed. */
  readonly revision: number;
  readonly reason: DisconnectReason;
}

/** Gives the routers that must be disconnected. */
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
  /** New or changed API sessions, and those with changed certificates. */
  readonly changed: readonly string[];
  /** Identities with changed certificates: all their sessions are changed. */
  readonly identities: readonly string[];
  /** Ended API sessions. */
  readonly removed: readonly string[];
  /** Ended sessions for services. */
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

type SessionNewsSets = Readonly<Record<keyof SessionNews, Set<string>>>;

function addSessionNews({ changed, removed, sessions }: SessionNewsSets, change: Change): void {
  const isEnd = change.operation === 'delete';
  if (isChangeOf('ApiSession', change)) (isEnd ? removed : changed).add(change.id);
  if (isChangeOf('Session', change) && isEnd) sessions.add(change.id);
}

function addCertificateNews({ changed, identities }: SessionNewsSets, change: Change): void {
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
