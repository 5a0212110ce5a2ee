import { texts } from '../texts.js';
import { useDraft } from '../draft/draft.js';

/** The number of changes in the draft, for the menu. */
export function DraftBadge() {
  const { length: count } = useDraft();
  if (count === 0) return null;
  return (
    <>
      <span className="tag info badge" aria-hidden>
        {count.toLocaleString()}
      </span>
      <span className="hidden">{texts.draft.count(count)}</span>
    </>
  );
}
