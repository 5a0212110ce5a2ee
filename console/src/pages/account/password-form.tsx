import { Button, PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ChangePassword } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { texts } from '../../texts.js';

interface PasswordFormProps {
  /** Id of the authenticator. */
  readonly id: string;
  readonly username: string | null;
}

/** Changes the own password; the new one is typed twice. */
export function PasswordForm({ id, username }: PasswordFormProps) {
  const form = useForm({ initialValues: { current: '', next: '', again: '' } });
  const [isChanged, setChanged] = useState(false);
  const { isBusy, failure, attempt } = useAttempt();
  const { next, again } = form.values;
  const submit = form.onSubmit(({ current }) => {
    if (next !== again) return;
    setChanged(false);
    attempt(async () => {
      await ask(ChangePassword, { id, input: { currentPassword: current, password: next } });
      form.reset();
      setChanged(true);
    });
  });
  return (
    <form className="stack" onSubmit={submit}>
      <input type="text" autoComplete="username" value={username ?? ''} readOnly hidden />
      <PasswordInput
        label={texts.account.current}
        autoComplete="current-password"
        required
        {...form.getInputProps('current')}
      />
      <PasswordInput
        label={texts.account.next}
        autoComplete="new-password"
        required
        {...form.getInputProps('next')}
      />
      <PasswordInput
        label={texts.account.again}
        autoComplete="new-password"
        required
        {...form.getInputProps('again')}
        error={again !== '' && again !== next ? texts.account.differs : undefined}
      />
      <FailureNotice failure={failure} />
      {isChanged ? (
        <div className="notice good" role="status">
          {texts.account.changed}
        </div>
      ) : null}
      <div>
        <Button type="submit" loading={isBusy}>
          {texts.account.change}
        </Button>
      </div>
    </form>
  );
}
