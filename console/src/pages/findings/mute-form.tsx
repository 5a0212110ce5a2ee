import { Button, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
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

interface Muting {
  readonly reason: string;
  readonly until: string | undefined;
}

/** Mutes a finding that the network is to keep. */
export function MuteForm({ id, close, reload }: MuteFormProps) {
  const form = useForm<Muting>({ initialValues: { reason: '', until: undefined } });
  const { isBusy, failure, attempt } = useAttempt();
  const submit = form.onSubmit(({ reason, until }) => {
    attempt(async () => {
      await ask(MuteFinding, { id, reason: reason.trim(), until });
      close();
      reload();
    });
  });
  return (
    <form onSubmit={submit} className="stack tight">
      <div className="dim">{texts.findings.muteHelp}</div>
      <Textarea
        label={texts.findings.reason}
        required
        autosize
        minRows={2}
        maxLength={1000}
        {...form.getInputProps('reason')}
      />
      <TimeField
        label={texts.findings.until}
        description={texts.findings.untilHelp}
        value={form.values.until}
        choose={(until) => {
          form.setFieldValue('until', until);
        }}
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
