import { Button, Textarea } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { MuteFinding } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { TimeField } from '../../parts/time-field.js';
import { texts } from '../../texts.js';

interface MuteFormProps {
  readonly id: string;
  readonly close: () => void;
  readonly reload: () => void;
}

/** Mutes a finding that the network is to keep. */
export function MuteForm({ id, close, reload }: MuteFormProps) {
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState<string>();
  const { isBusy, failure, attempt } = useAttempt();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    attempt(async () => {
      await ask(MuteFinding, { id, reason: reason.trim(), until });
      close();
      reload();
    });
  };
  return (
    <form onSubmit={submit} className="stack tight">
      <div className="dim">{texts.findings.muteHelp}</div>
      <Textarea
        label={texts.findings.reason}
        required
        autosize
        minRows={2}
        maxLength={1000}
        value={reason}
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
      <TimeField
        label={texts.findings.until}
        description={texts.findings.untilHelp}
        value={until}
        choose={setUntil}
      />
      <FailureNotice failure={failure} />
      <div className="row">
        <Button type="submit" loading={isBusy}>
          {texts.findings.muteIt}
        </Button>
      </div>
    </form>
  );
}
