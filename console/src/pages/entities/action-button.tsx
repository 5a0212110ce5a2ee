import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Row } from '../../description/documents.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Dialog } from '../../parts/dialog.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { texts } from '../../texts.js';
import type { EntityAction } from './entity-actions.js';

interface ActionProps {
  readonly action: EntityAction;
  readonly entity: Row;
  readonly done: () => void;
}

/** Asks before an action is run. */
export function ActionButton({ action, entity, done }: ActionProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setOpen(true);
        }}
      >
        {action.words.text}
      </Button>
      {isOpen ? <ActionDialog action={action} entity={entity} done={done} close={close} /> : null}
    </>
  );
}

function ActionDialog({ action, entity, done, close }: ActionProps & { close: () => void }) {
  const [secret, setSecret] = useState<string>();
  const { isBusy, failure, attempt } = useAttempt();
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const { words, field, run } = action;
  const runNow = async (): Promise<void> => {
    const said = { text: text.trim() === '' ? undefined : text.trim(), isChecked };
    const given = await run(entity.id, said);
    setSecret(given);
    if (given === undefined) close();
    done();
  };
  return (
    <Dialog
      close={() => {
        if (!isBusy) close();
      }}
      title={words.text}
    >
      {secret === undefined ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            attempt(runNow);
          }}
        >
          <div>{words.question}</div>
          {field === 'text' ? (
            <TextInput
              label={words.label}
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value);
              }}
            />
          ) : null}
          {field === 'check' ? (
            <Checkbox
              label={words.label}
              checked={isChecked}
              onChange={(event) => {
                setChecked(event.currentTarget.checked);
              }}
            />
          ) : null}
          <FailureNotice failure={failure} />
          <div className="row end">
            <Button type="submit" color="red" loading={isBusy}>
              {words.now}
            </Button>
          </div>
        </form>
      ) : (
        <Secret secret={secret} help={words.result ?? ''} close={close} />
      )}
    </Dialog>
  );
}

/** A secret that nothing shows again. */
function Secret({ secret, help, close }: { secret: string; help: string; close: () => void }) {
  return (
    <div className="stack">
      <div>{help}</div>
      <div className="code">{secret}</div>
      <div className="row">
        <CopyButton text={secret} />
        <div className="grow" />
        <Button variant="default" onClick={close}>
          {texts.actions.done}
        </Button>
      </div>
    </div>
  );
}
