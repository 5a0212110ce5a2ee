import { Button, PasswordInput } from '@mantine/core';
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
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [isChanged, setChanged] = useState(false);
  const { isBusy, failure, attempt } = useAttempt();
  const differs = again !== '' && again !== next;
  const submit = (): void => {
    setChanged(false);
    attempt(async () => {
      await ask(ChangePassword, { id, input: { currentPassword: current, password: next } });
      for (const clear of [setCurrent, setNext, setAgain]) clear('');
      setChanged(true);
    });
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (next === again) submit();
      }}
    >
      <input type="text" autoComplete="username" value={username ?? ''} readOnly hidden />
      <Password
        label={texts.account.current}
        value={current}
        change={setCurrent}
        autoComplete="current-password"
      />
      <Password
        label={texts.account.next}
        value={next}
        change={setNext}
        autoComplete="new-password"
      />
      <Password
        label={texts.account.again}
        value={again}
        change={setAgain}
        autoComplete="new-password"
        error={differs ? texts.account.differs : undefined}
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

interface PasswordProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly autoComplete: string;
  readonly error?: string | undefined;
}

function Password({ label, value, change, autoComplete, error }: PasswordProps) {
  return (
    <PasswordInput
      label={label}
      value={value}
      error={error}
      autoComplete={autoComplete}
      required
      onChange={(event) => {
        change(event.currentTarget.value);
      }}
    />
  );
}
