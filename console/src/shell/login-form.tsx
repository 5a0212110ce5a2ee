import { Anchor, Button, PasswordInput, TextInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { Logout, ProveCode } from '../emitted/operations.js';
import { ask } from '../graph/ask.js';
import { completeSession, forgetSession, useSession } from '../graph/session.js';
import { useAttempt } from '../graph/use-attempt.js';
import { logIn } from '../login/log-in.js';
import { OtherLogins } from '../login/other-logins.js';
import { FailureNotice } from '../parts/failure-notice.js';
import { texts } from '../texts.js';

/** Asks for a login, and for the second factor where one is missing. */
export function LoginForm() {
  const { stage } = useSession();
  return stage === 'partial' ? <CodeForm /> : <CredentialsForm />;
}

function CredentialsForm() {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const { isBusy, failure, attempt } = useAttempt();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    attempt(() => logIn('password', { username, password }));
  };
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label={texts.login.username}
        name="username"
        autoComplete="username"
        data-autofocus
        autoFocus
        required
        value={username}
        onChange={(event) => {
          setUsername(event.currentTarget.value);
        }}
      />
      <PasswordInput
        label={texts.login.password}
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => {
          setPassword(event.currentTarget.value);
        }}
      />
      <FailureNotice failure={failure} />
      <Button type="submit" loading={isBusy} fullWidth>
        {texts.login.submit}
      </Button>
      <OtherLogins isBusy={isBusy} attempt={attempt} />
    </form>
  );
}

function CodeForm() {
  const { needsToken } = useSession();
  const [code, setCode] = useState('');
  const { isBusy, failure, attempt } = useAttempt();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    attempt(async () => {
      await ask(ProveCode, { code });
      completeSession();
    });
  };
  const leave = (): void => {
    ask(Logout, {}).catch(() => undefined);
    forgetSession();
  };
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label={texts.login.code}
        description={texts.login.codeHelp}
        name="code"
        autoComplete="one-time-code"
        data-autofocus
        autoFocus
        required
        value={code}
        onChange={(event) => {
          setCode(event.currentTarget.value);
        }}
      />
      {needsToken ? <div className="notice warn">{texts.login.needsToken}</div> : null}
      <FailureNotice failure={failure} />
      <Button type="submit" loading={isBusy} fullWidth>
        {texts.login.prove}
      </Button>
      <Anchor component="button" type="button" size="sm" onClick={leave}>
        {texts.login.back}
      </Anchor>
    </form>
  );
}
