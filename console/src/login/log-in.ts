import { Login } from '../emitted/operations.js';
import { ask, type AskOptions } from '../graph/ask.js';
import { beginSession } from '../graph/session.js';

/** Logs in; the session is partial while factors are missing. */
export async function logIn(
  method: string,
  credentials: object,
  options: AskOptions = {},
): Promise<void> {
  const input = { ...credentials, sdkInfo: { type: 'overgraph-console' } };
  const { authenticate } = await ask(Login, { method, input }, options);
  if (!authenticate) return;
  const { token, authQueries } = authenticate;
  const needsToken = authQueries.some(({ typeId }) => typeId !== 'MFA');
  beginSession(token, { isPartial: authQueries.length > 0, needsToken });
}
