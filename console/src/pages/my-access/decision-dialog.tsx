import { Button, NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  ApproveRequest,
  DenyRequest,
  RequestEffect,
  type WaitingRequest,
} from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { Dialog } from '../../parts/dialog.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { GrantEffect } from '../../parts/grant-effect.js';
import { texts } from '../../texts.js';

interface DecisionDialogProps {
  readonly request: WaitingRequest;
  readonly decided: () => void;
  readonly close: () => void;
}

/** Shows the effect of a grant, and takes the decision. */
export function DecisionDialog({ request, decided, close }: DecisionDialogProps) {
  const { id, identityName, offerName, requestedMinutes, reason } = request;
  const form = useForm<{ minutes: number | string; comment: string }>({
    initialValues: { minutes: requestedMinutes, comment: '' },
  });
  const { isBusy, failure, attempt } = useAttempt();
  const decide = (work: (comment: string | null) => Promise<unknown>): void => {
    const comment = form.values.comment.trim();
    attempt(async () => {
      await work(comment === '' ? null : comment);
      decided();
      close();
    });
  };
  const minutes = Number(form.values.minutes);
  return (
    <Dialog size="lg" close={close} title={texts.myAccess.decideOn(identityName, offerName)}>
      <form
        className="stack"
        onSubmit={form.onSubmit(() => {
          decide((comment) => ask(ApproveRequest, { id, minutes, comment }));
        })}
      >
        <div>
          {texts.myAccess.request(identityName, texts.myAccess.inMinutes(requestedMinutes), reason)}
        </div>
        <RequestedEffect id={id} />
        <NumberInput
          label={texts.myAccess.minutes}
          description={texts.myAccess.minutesHelp(requestedMinutes)}
          required
          min={1}
          max={requestedMinutes}
          allowDecimal={false}
          {...form.getInputProps('minutes')}
        />
        <TextInput
          label={texts.myAccess.comment}
          maxLength={500}
          {...form.getInputProps('comment')}
        />
        <FailureNotice failure={failure} />
        <div className="row end">
          <Button
            variant="default"
            loading={isBusy}
            onClick={() => {
              decide((comment) => ask(DenyRequest, { id, comment }));
            }}
          >
            {texts.myAccess.deny}
          </Button>
          <Button type="submit" loading={isBusy}>
            {texts.myAccess.approve}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The effect of the grant of a request. */
function RequestedEffect({ id }: { id: string }) {
  const { data, failure } = useAnswer(RequestEffect, { id });
  return <GrantEffect effect={data?.accessRequestEffect} failure={failure} />;
}
