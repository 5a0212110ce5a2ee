import { Modal } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { Caller as CallerQuery } from '../emitted/operations.js';
import { useSession } from '../graph/session.js';
import { useAnswer } from '../graph/use-answer.js';
import icon from './icon.svg';
import { FailureNotice } from '../parts/failure-notice.js';
import { texts } from '../texts.js';
import { CallerContext } from '../graph/caller-context.js';
import { LoginForm } from './login-form.js';
import { useKeptFocus } from './use-kept-focus.js';

/**
 * Shows the page to who has logged in. When the session ends, the page stays behind the login, with
 * all that was typed.
 */
export function Gate({ children }: { children: ReactNode }) {
  useKeptFocus();
  const { stage } = useSession();
  const wasOpen = useRef(false);
  if (stage === 'open') wasOpen.current = true;
  if (stage === 'none') wasOpen.current = false;
  if (!wasOpen.current) return <LoginPage />;
  return (
    <>
      <WithCaller>{children}</WithCaller>
      <Modal
        opened={stage !== 'open'}
        onClose={() => undefined}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        title={texts.login.again}
        size="sm"
        zIndex={500}
      >
        <div className="stack">
          <div className="dim">{texts.login.againHelp}</div>
          <LoginForm />
        </div>
      </Modal>
    </>
  );
}

function LoginPage() {
  return (
    <main className="login">
      <div className="panel">
        <h1 className="brand">
          <img src={icon} alt="" />
          {texts.product}
        </h1>
        <LoginForm />
      </div>
    </main>
  );
}

/** Somebody else who logs in behind a page gets it new: it may show what only the first may see. */
function WithCaller({ children }: { children: ReactNode }) {
  const { data, failure } = useAnswer(CallerQuery, {});
  const caller = data?.currentIdentity;
  if (!caller) {
    return (
      <main className="login">
        {failure ? <FailureNotice failure={failure} /> : <div>{texts.loading}</div>}
      </main>
    );
  }
  return (
    <CallerContext value={caller} key={caller.id}>
      {children}
    </CallerContext>
  );
}
