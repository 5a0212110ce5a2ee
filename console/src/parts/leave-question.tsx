import { Button, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { currentSession } from '../graph/session.js';
import { texts } from '../texts.js';

interface LeaveQuestionProps {
  /** Whether the page has changes that are not saved, at the time of the call. */
  readonly isChanged: () => boolean;
}

/** Asks before a page with changes is left, in the application or in the browser. */
export function LeaveQuestion({ isChanged }: LeaveQuestionProps) {
  // Without a session the login is over the page. Some logins leave the page.
  const isAsked = (): boolean => currentSession().stage === 'open' && isChanged();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isAsked,
    enableBeforeUnload: isAsked,
    withResolver: true,
  });
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={texts.form.leave.title}
      size="sm"
    >
      <div className="stack">
        <div>{texts.form.leave.help}</div>
        <div className="row">
          <Button data-autofocus onClick={reset}>
            {texts.form.leave.stay}
          </Button>
          <Button variant="default" onClick={proceed}>
            {texts.form.leave.leave}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
