import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { ReEnrollEdgeRouter } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { texts } from '../../texts.js';

interface ReEnrollProps {
  /** Of what is enrolled again, where there are several. */
  readonly name?: string;
  /** What ends by it. */
  readonly warning: string;
  readonly run: () => Promise<void>;
}

/** Asks before something is sent back to its enrollment. */
export function ReEnroll({ name, warning, run }: ReEnrollProps) {
  const [isOpen, setOpen] = useState(false);
  const { isBusy, failure, attempt } = useAttempt();
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <Button
        variant="default"
        {...(name === undefined ? {} : { 'aria-label': texts.enrollment.reEnrollOf(name) })}
        onClick={() => {
          setOpen(true);
        }}
      >
        {texts.enrollment.reEnroll}
      </Button>
      <Modal opened={isOpen} onClose={close} title={texts.enrollment.reEnroll}>
        <div className="stack">
          <div>{warning}</div>
          <FailureNotice failure={failure} />
          <div className="row end">
            <Button
              color="red"
              loading={isBusy}
              onClick={() => {
                attempt(async () => {
                  await run();
                  close();
                });
              }}
            >
              {texts.enrollment.reEnrollNow}
            </Button>
          </div>
        </div>
      </Modal>
    </>
  );
}

export function ReEnrollRouter({ id, done }: { id: string; done: () => void }) {
  return (
    <div>
      <ReEnroll
        warning={texts.enrollment.routerEnds}
        run={async () => {
          await ask(ReEnrollEdgeRouter, { id });
          done();
        }}
      />
    </div>
  );
}
