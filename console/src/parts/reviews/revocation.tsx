import { Button } from '@mantine/core';
import { useState } from 'react';
import { DraftButton } from '../draft-button.js';
import { ReviewRevocation } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAnswer } from '../../graph/use-answer.js';
import { FailureNotice } from '../failure-notice.js';
import { Panel } from '../panel.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';

interface RevocationProps {
  readonly id: string;
  /** Grows when decisions were stored. */
  readonly round: number;
}

/** What takes the revoked access away, to be added to the draft. */
export function Revocation({ id, round }: RevocationProps) {
  const [wanted, setWanted] = useState(-1);
  const mayDraft = useMay()('Query', 'simulate');
  if (!mayDraft) return null;
  return (
    <Panel title={texts.reviews.revocation}>
      {wanted === round ? (
        <Changes id={id} />
      ) : (
        <Button
          variant="default"
          onClick={() => {
            setWanted(round);
          }}
        >
          {texts.reviews.findChanges}
        </Button>
      )}
    </Panel>
  );
}

/** It takes an analysis, so it is asked for by hand. */
function Changes({ id }: { id: string }) {
  const { data, failure } = useAnswer(ReviewRevocation, { id });
  const revocation = data?.accessReview?.revocation;
  if (!revocation) {
    return failure ? <FailureNotice failure={failure} /> : <span>{texts.loading}</span>;
  }
  const { changes, grantedCount, lost, warning } = revocation;
  return (
    <div className="stack">
      <div>{texts.reviews.takesAway(changes.length, lost, grantedCount)}</div>
      {warning === null ? null : <div className="notice warn">{warning}</div>}
      <DraftButton changes={changes} propose={() => readChanges(id)} />
    </div>
  );
}

/** The changes as the network is now. */
async function readChanges(id: string) {
  const { accessReview } = await ask(ReviewRevocation, { id });
  return accessReview?.revocation.changes ?? [];
}
