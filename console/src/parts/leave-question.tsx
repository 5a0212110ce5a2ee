import { Button, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { currentSession } from '../graph/session.js';
import { texts } from '../texts.js';

interface LeaveQuestionProps {
  /** Whether the page has changes that are not saved, at the time of the call. */
  readonly isChanged: () => boolean;
}

type Leave = () => void;

/** Holds back what leaves the page, for the question; gives whether it does. */
type HoldBack = (leave: Leave) => boolean;

const questions = new Set<HoldBack>();

/** Does what leaves the page in another way than to another page, after the question where there is one. */
export function leavePage(leave: Leave): void {
  const isHeldBack = [...questions].some((holdBack) => holdBack(leave));
  if (!isHeldBack) leave();
}

/** Asks before a page with changes is left, in the application, in the browser, or by a logout. */
export function LeaveQuestion({ isChanged }: LeaveQuestionProps) {
  // Without a session the login is over the page. Some logins leave the page.
  const isAsked = (): boolean => currentSession().stage === 'open' && isChanged();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isAsked,
    enableBeforeUnload: isAsked,
    withResolver: true,
  });
  const [leave, setLeave] = useHeldBack(isAsked);
  const stay = (): void => {
    setLeave(undefined);
    reset?.();
  };
  return (
    <Modal
      opened={status === 'blocked' || leave !== undefined}
      onClose={stay}
      title={texts.form.leave.title}
      size="sm"
    >
      <div className="stack">
        <div>{texts.form.leave.help}</div>
        <div className="row">
          <Button data-autofocus onClick={stay}>
            {texts.form.leave.stay}
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setLeave(undefined);
              leave?.();
              proceed?.();
            }}
          >
            {texts.form.leave.leave}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

/** Holds back what leaves the page by `leavePage`. */
function useHeldBack(isAsked: () => boolean) {
  const [leave, setLeave] = useState<Leave>();
  const latest = useRef(isAsked);
  latest.current = isAsked;
  useEffect(() => {
    const holdBack: HoldBack = (next) => {
      if (!latest.current()) return false;
      setLeave(() => next);
      return true;
    };
    questions.add(holdBack);
    return () => {
      questions.delete(holdBack);
    };
  }, []);
  return [leave, setLeave] as const;
}
