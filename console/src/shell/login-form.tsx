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
  const { stage, needsToken } = useSession();
  if (stage !== 'partial') return <CredentialsForm />;
  return needsToken ? <MissingToken /> : <CodeForm />;
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
  const [code, setCode] = useState('');
  const { isBusy, failure, attempt } = useAttempt();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    attempt(async () => {
      await ask(ProveCode, { code });
      completeSession();
    });
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
      <FailureNotice failure={failure} />
      <Button type="submit" loading={isBusy} fullWidth>
        {texts.login.prove}
      </Button>
      <LogInAsAnother />
    </form>
  );
}

/** A code alone would not complete the login. */
function MissingToken() {
  return (
    <div className="stack">
      <div className="notice warn" role="alert">
        {texts.login.needsToken}
      </div>
      <LogInAsAnother />
    </div>
  );
}

function LogInAsAnother() {
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      onClick={() => {
        ask(Logout, {}).catch(() => undefined);
        forgetSession();
      }}
    >
      {texts.login.back}
    </Anchor>
  );
}
