import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { removeFromDraft, type DraftChange } from '../../draft/draft.js';
import { ifRevisions, modelChanges, withNames } from '../../draft/model-changes.js';
import { ApplyDraft } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { RuleOverride } from '../../parts/rule-override.js';
import { texts } from '../../texts.js';

interface ApplyFormProps {
  readonly changes: readonly DraftChange[];
  /** The number of changes whose entities are no longer as the changes know them. */
  readonly moved: number;
  readonly setApplying: (isApplying: boolean) => void;
  /** Takes the number of changes that were made. */
  readonly finish: (count: number) => void;
}

/** Makes all changes of the draft or none, with a reason. */
export function ApplyForm({ changes, moved, setApplying, finish }: ApplyFormProps) {
  const [reason, setReason] = useState('');
  const { isBusy, attempt, ...attempted } = useAttempt();
  const [sent, setSent] = useState(changes);
  // A refusal is about the changes as they were.
  const failure = sent === changes ? attempted.failure : undefined;
  const apply = async (overrideReason?: string): Promise<void> => {
    setSent(changes);
    setApplying(true);
    try {
      const variables = {
        changes: modelChanges(changes),
        ifRevisions: ifRevisions(changes),
        reason: reason.trim() === '' ? undefined : reason.trim(),
      };
      await ask(ApplyDraft, variables, { overrideReason });
    } finally {
      setApplying(false);
    }
    finish(changes.length);
    // Changes that were added meanwhile stay.
    removeFromDraft(changes);
  };
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(() => apply());
      }}
    >
      <TextInput
        label={texts.draft.reason}
        description={texts.draft.reasonHelp}
        value={reason}
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
      {moved > 0 ? <div className="notice warn">{texts.draft.moved(moved)}</div> : null}
      {failure?.code === 'REVISION_CONFLICT' ? (
        <div className="notice warn">{texts.draft.baseMoved}</div>
      ) : null}
      <FailureNotice failure={failure?.saying(withNames(failure.message, changes))} />
      <RuleOverride
        failure={failure}
        reason={reason}
        override={(overrideReason) => {
          attempt(() => apply(overrideReason));
        }}
      />
      <div>
        <Button type="submit" loading={isBusy} disabled={moved > 0}>
          {texts.draft.apply(changes.length)}
        </Button>
      </div>
    </form>
  );
}
