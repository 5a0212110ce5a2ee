import { Button } from '@mantine/core';
import { useAttempt } from '../graph/use-attempt.js';
import { FailureNotice } from './failure-notice.js';
import { useNavigateIfShown } from './use-navigate-if-shown.js';
import { useMay } from '../graph/caller-context.js';
import { texts } from '../texts.js';
import { addProposals, type ProposedChange } from '../draft/add-proposals.js';

interface DraftButtonProps {
  readonly changes: readonly ProposedChange[];
  /** Asks the graph for the changes again. */
  readonly propose: () => Promise<readonly ProposedChange[]>;
  /** Distinguishes it from others of the page. */
  readonly subject?: string;
  readonly help?: string;
}

/** Adds proposed changes to the draft, and opens it. */
export function DraftButton({ changes, propose, subject, help }: DraftButtonProps) {
  const { isBusy, failure, attempt } = useAttempt();
  const navigate = useNavigateIfShown();
  const may = useMay();
  if (changes.length === 0 || !may('Query', 'simulate')) return null;
  const add = async (): Promise<void> => {
    await addProposals(changes, propose);
    await navigate({ to: '/draft' });
  };
  return (
    <div className="stack tight">
      <FailureNotice failure={failure} />
      <div className="row">
        <Button
          variant="default"
          loading={isBusy}
          {...(subject === undefined ? {} : { 'aria-label': `${texts.form.draft}: ${subject}` })}
          onClick={() => {
            attempt(add);
          }}
        >
          {texts.form.draft}
        </Button>
        {help === undefined ? null : <span className="dim">{help}</span>}
      </div>
    </div>
  );
}
