import type { IncomingMessage } from 'node:http';

/** Whether a message has a body, by its head: without these headers it has none (RFC 9112 6.3). */
export const announcesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
