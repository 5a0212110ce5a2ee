import { Button, Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useAttempt } from '../../graph/use-attempt.js';
import { Dialog } from '../dialog.js';
import { FailureNotice } from '../failure-notice.js';
import { Instant } from '../instant.js';
import { TimeField } from '../time-field.js';
import { texts } from '../../texts.js';
import type { Decision, DecisionMembers, Line } from './read-lines.js';

/** A line whose decision gets further members. */
export interface DecidedLine {
  readonly line: Line;
  /** The stored one, which the line may not have yet. */
  readonly decision: Decision;
}

interface DecisionDialogProps extends DecidedLine {
  readonly close: () => void;
  readonly save: (members: DecisionMembers) => Promise<void>;
}

interface Values {
  readonly text: string;
  readonly renewUntil: string | undefined;
  readonly endsAssignments: boolean;
}

const membersOf = ({ text, renewUntil, endsAssignments }: Values): DecisionMembers => ({
  // Null removes the comment.
  comment: text.trim() === '' ? null : text.trim(),
  ...(renewUntil === undefined ? {} : { renewUntil }),
  ...(endsAssignments ? { endsAssignments } : {}),
});

/** Edits the comment of a decision, and the end that it gives to role assignments. */
export function DecisionDialog({ line, decision, close, save }: DecisionDialogProps) {
  const { comment, identityName, serviceName } = line;
  const form = useForm<Values>({
    initialValues: { text: comment ?? '', renewUntil: undefined, endsAssignments: false },
  });
  const { isBusy, failure, attempt } = useAttempt();
  const submit = form.onSubmit((values) => {
    attempt(async () => {
      await save(membersOf(values));
      close();
    });
  });
  return (
    <Dialog close={close} title={texts.reviews.details(identityName, serviceName)}>
      <form className="stack" onSubmit={submit}>
        <DecidedBy line={line} />
        <TextInput
          label={texts.reviews.comment}
          data-autofocus
          maxLength={500}
          {...form.getInputProps('text')}
        />
        {decision === 'KEEP' ? (
          <TimeField
            label={texts.reviews.renewUntil}
            description={texts.reviews.renewHelp}
            value={form.values.renewUntil}
            choose={(renewUntil) => {
              form.setFieldValue('renewUntil', renewUntil);
            }}
          />
        ) : null}
        {decision === 'REVOKE' ? (
          <Checkbox
            label={texts.reviews.endAssignments}
            description={texts.reviews.endHelp}
            {...form.getInputProps('endsAssignments', { type: 'checkbox' })}
          />
        ) : null}
        <FailureNotice failure={failure} />
        <div className="row end">
          <Button type="submit" loading={isBusy}>
            {texts.form.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The author and the time of the decision; nothing without one. */
function DecidedBy({ line: { decidedByName, decidedAt } }: Pick<DecidedLine, 'line'>) {
  if (decidedAt === null) return null;
  return (
    <div className="dim">
      {texts.reviews.decidedBy(decidedByName ?? texts.none)} <Instant at={decidedAt} />
    </div>
  );
}
