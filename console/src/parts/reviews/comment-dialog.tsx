import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useAttempt } from '../../graph/use-attempt.js';
import { Dialog } from '../dialog.js';
import { FailureNotice } from '../failure-notice.js';
import { texts } from '../../texts.js';
import type { Line } from './read-lines.js';

interface CommentDialogProps {
  readonly line: Line;
  readonly close: () => void;
  /** Null removes the comment. */
  readonly save: (comment: string | null) => Promise<void>;
}

/** Edits the comment of a line. */
export function CommentDialog({ line, close, save }: CommentDialogProps) {
  const form = useForm({ initialValues: { text: line.comment ?? '' } });
  const { isBusy, failure, attempt } = useAttempt();
  const submit = form.onSubmit(({ text }) => {
    attempt(async () => {
      await save(text.trim() === '' ? null : text.trim());
      close();
    });
  });
  return (
    <Dialog close={close} title={texts.reviews.commentOn(line.identityName, line.serviceName)}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={texts.reviews.comment}
          data-autofocus
          maxLength={500}
          {...form.getInputProps('text')}
        />
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
