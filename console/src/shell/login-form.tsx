import { Anchor, Button, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
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
  const form = useForm({ initialValues: { username: '', password: '' } });
  const { isBusy, failure, attempt } = useAttempt();
  const submit = form.onSubmit((credentials) => {
    attempt(() => logIn('password', credentials));
  });
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label={texts.login.username}
        name="username"
        autoComplete="username"
        data-autofocus
        autoFocus
        required
        {...form.getInputProps('username')}
      />
      <PasswordInput
        label={texts.login.password}
        name="password"
        autoComplete="current-password"
        required
        {...form.getInputProps('password')}
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
  const form = useForm({ initialValues: { code: '' } });
  const { isBusy, failure, attempt } = useAttempt();
  const submit = form.onSubmit(({ code }) => {
    attempt(async () => {
      await ask(ProveCode, { code });
      completeSession();
    });
  });
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
        {...form.getInputProps('code')}
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
