import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../texts.js';
import type { Line } from './read-lines.js';

interface CommentDialogProps {
  readonly line: Line;
  readonly close: () => void;
  /** Null removes the comment. */
  readonly save: (comment: string | null) => void;
}

/** Edits the comment of a line. */
export function CommentDialog({ line, close, save }: CommentDialogProps) {
  const [text, setText] = useState(line.comment ?? '');
  return (
    <Modal
      opened
      onClose={close}
      title={texts.reviews.commentOn(line.identityName, line.serviceName)}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save(text.trim() === '' ? null : text.trim());
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
        <div className="row end">
          <Button type="submit">{texts.form.save}</Button>
        </div>
      </form>
    </Modal>
  );
}
