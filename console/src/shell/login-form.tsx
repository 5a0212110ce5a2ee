import { Anchor, Button, PasswordInput, TextInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { Login, Logout, ProveCode } from '../emitted/operations.js';
import { ask } from '../graph/ask.js';
import { beginSession, completeSession, forgetSession, useSession } from '../graph/session.js';
import { useAttempt } from '../graph/use-attempt.js';
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
  const [hasOtherFactor, setOtherFactor] = useState(false);
  const { isBusy, failure, attempt } = useAttempt();
  const logIn = async (method: string, credentials: object): Promise<void> => {
    const input = { ...credentials, sdkInfo: { type: 'overgraph-console' } };
    const { authenticate } = await ask(Login, { method, input });
    const open = authenticate?.authQueries ?? [];
    setOtherFactor(open.some(({ typeId }) => typeId !== 'MFA'));
    if (authenticate) beginSession(authenticate.token, open.length > 0);
  };
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
      {hasOtherFactor ? <div className="notice warn">{texts.login.otherFactor}</div> : null}
      <Button type="submit" loading={isBusy} fullWidth>
        {texts.login.submit}
      </Button>
      <Anchor
        component="button"
        type="button"
        size="sm"
        onClick={() => {
          attempt(() => logIn('cert', {}));
        }}
      >
        {texts.login.certificate}
      </Anchor>
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
