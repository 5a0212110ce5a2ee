import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
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
  const [text, setText] = useState(line.comment ?? '');
  const { isBusy, failure, attempt } = useAttempt();
  return (
    <Dialog close={close} title={texts.reviews.commentOn(line.identityName, line.serviceName)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          attempt(async () => {
            await save(text.trim() === '' ? null : text.trim());
            close();
          });
        }}
      >
        <TextInput
          label={texts.reviews.comment}
          data-autofocus
          maxLength={500}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
          }}
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
