import { Button } from '@mantine/core';
import { ApprovalEffect, ApproveIdentity, RefuseIdentity } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useMay } from '../../graph/caller-context.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { Dialog } from '../../parts/dialog.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { GrantEffect } from '../../parts/grant-effect.js';
import { RuleOverride } from '../../parts/rule-override.js';
import { texts } from '../../texts.js';

interface ApprovalDialogProps {
  readonly id: string;
  readonly name: string;
  readonly close: () => void;
}

/** Shows what an approval gives, and takes the decision. A refusal deletes the identity. */
export function ApprovalDialog({ id, name, close }: ApprovalDialogProps) {
  const may = useMay();
  const { isBusy, failure, attempt } = useAttempt();
  const decide = (work: () => Promise<unknown>): void => {
    attempt(async () => {
      await work();
      close();
    });
  };
  return (
    <Dialog size="lg" close={close} title={texts.overview.decideOn(name)}>
      <div className="stack">
        {may('Query', 'approvalEffect') ? <ApprovedEffect id={id} /> : null}
        <FailureNotice failure={failure} />
        <RuleOverride
          failure={failure}
          override={(overrideReason) => {
            decide(() => ask(ApproveIdentity, { id }, { overrideReason }));
          }}
        />
        <div className="row end">
          {may('Mutation', 'deleteIdentity') ? (
            <Button
              color="red"
              variant="default"
              loading={isBusy}
              onClick={() => {
                decide(() => ask(RefuseIdentity, { id }));
              }}
            >
              {texts.overview.refuse}
            </Button>
          ) : null}
          <Button
            loading={isBusy}
            onClick={() => {
              decide(() => ask(ApproveIdentity, { id }));
            }}
          >
            {texts.myAccess.approve}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function ApprovedEffect({ id }: { id: string }) {
  const { data, failure } = useAnswer(ApprovalEffect, { id });
  return <GrantEffect effect={data?.approvalEffect} failure={failure} />;
}
