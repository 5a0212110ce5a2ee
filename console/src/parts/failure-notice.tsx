import type { Failure } from '../graph/failure.js';
import { texts } from '../texts.js';
import { TextWithNames } from './text-with-names.js';

/** Says in words why something failed, and how the log of the controller names the request. */
export function FailureNotice({ failure }: { failure: Failure | undefined }) {
  if (!failure) return null;
  const { message, requestId, retryAfter } = failure;
  return (
    <div className="notice bad" role="alert">
      <div>
        <TextWithNames text={message} />
      </div>
      {retryAfter === undefined ? null : <div>{texts.failure.retry(retryAfter)}</div>}
      {requestId === undefined ? null : (
        <div className="code">{texts.failure.requestId(requestId)}</div>
      )}
    </div>
  );
}
