import { Button } from '@mantine/core';
import { useEffect, useRef, type ComponentType } from 'react';
import { useConnection } from '../graph/connection.js';
import type { Failure } from '../graph/failure.js';
import { loadCode } from '../graph/load-code.js';
import { useAttempt } from '../graph/use-attempt.js';
import { texts } from '../texts.js';
import { FailureNotice } from './failure-notice.js';

/**
 * A page, or a part of one, whose code is loaded when it is first shown. When that fails, it says so, and
 * tries again when the controller is back.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let Part: ComponentType<Props> | undefined;
  const loadPart = async (): Promise<void> => {
    Part ??= await loadCode(load);
  };
  function LazyPart(props: Props) {
    const { returns } = useConnection();
    const { isBusy, failure, attempt } = useAttempt();
    const triedAt = useRef<number>(undefined);
    useEffect(() => {
      if (Part || isBusy || triedAt.current === returns) return;
      triedAt.current = returns;
      attempt(loadPart);
    });
    if (Part) return <Part {...props} />;
    if (!failure) return <div>{texts.loading}</div>;
    return (
      <MissingCode
        failure={failure}
        retry={() => {
          attempt(loadPart);
        }}
      />
    );
  }
  // The router calls it before it leaves the page that is shown. A failure shows on the page itself.
  const preload = (): Promise<void> => loadPart().catch(() => undefined);
  return Object.assign(LazyPart, { preload });
}

function MissingCode({ failure, retry }: { failure: Failure; retry: () => void }) {
  const { isReachable } = useConnection();
  return (
    <div className="stack">
      <FailureNotice failure={failure} />
      {isReachable ? <div>{texts.failure.codeGone}</div> : null}
      <div className="row">
        <Button variant="default" onClick={retry}>
          {texts.failure.again}
        </Button>
        {isReachable ? <LoadAgain /> : null}
      </div>
    </div>
  );
}

/** Loads the whole page again: login and draft stay in the tab. */
export function LoadAgain() {
  return (
    <Button
      variant="default"
      onClick={() => {
        window.location.reload();
      }}
    >
      {texts.failure.loadAgain}
    </Button>
  );
}
