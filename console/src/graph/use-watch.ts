import { useEffect, useRef } from 'react';
import { checkSession } from './ask.js';
import { useConnection } from './connection.js';
import type { Operation } from './operation.js';
import { currentSession, useSession } from './session.js';
import { useIsVisible } from './use-is-visible.js';
import { watch } from './watch.js';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/**
 * Follows a subscription while the component is shown, the session is open, and the page is visible: a
 * browser has six connections to a host, and each of its tabs would keep one. A broken subscription is
 * begun again, after ever longer pauses.
 * @param begun called at each beginning: events before it are not told
 */
export function useWatch<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  next: (result: Result) => void,
  isWanted = true,
  begun: () => void = () => undefined,
): void {
  const { logins, stage } = useSession();
  const { returns } = useConnection();
  const latest = useRef({ operation, variables, next, begun });
  latest.current = { operation, variables, next, begun };
  const key = `${operation.text} ${JSON.stringify(variables)} ${String(logins)} ${String(returns)}`;
  const isVisible = useIsVisible();
  const isOpen = isWanted && isVisible && stage === 'open';
  useEffect(() => {
    if (!isOpen) return undefined;
    const abort = new AbortController();
    let pause = FIRST_PAUSE_MS;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = (): void => {
      const { operation: followed, variables: given } = latest.current;
      watch(
        followed,
        given,
        {
          next: (result) => {
            pause = FIRST_PAUSE_MS;
            latest.current.next(result);
          },
          begun: () => {
            latest.current.begun();
          },
        },
        abort.signal,
      )
        .catch(() => undefined)
        .finally(() => {
          if (abort.signal.aborted) return;
          timer = setTimeout(() => void resume(), pause);
          pause = Math.min(2 * pause, MAX_PAUSE_MS);
        });
    };
    // It may have broken because the session has ended: then there is nothing to follow.
    const resume = async (): Promise<void> => {
      const { token } = currentSession();
      if (token !== undefined) await checkSession(token).catch(() => undefined);
      if (!abort.signal.aborted) follow();
    };
    follow();
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, isOpen]);
}
