import { WaitingCount } from '../emitted/operations.js';
import { useAnswer } from '../graph/use-answer.js';
import { texts } from '../texts.js';

const REFRESH_MS = 60_000;

/** The number of requests for access that wait for a decision of the caller, for the menu. */
export function WaitingBadge() {
  const { data } = useAnswer(WaitingCount, {}, { every: REFRESH_MS });
  const count = data?.accessRequests?.totalCount ?? 0;
  if (count === 0) return null;
  return (
    <>
      <span className="tag info badge" aria-hidden>
        {count.toLocaleString()}
      </span>
      <span className="hidden">{texts.myAccess.waiting(count)}</span>
    </>
  );
}
