import { Button } from '@mantine/core';
import { EndCircuit } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { Dialog } from '../../parts/dialog.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { texts } from '../../texts.js';
import type { Circuit } from './circuits.js';

interface EndCircuitDialogProps {
  readonly circuit: Circuit;
  readonly close: () => void;
}

/** Asks before a circuit is ended. */
export function EndCircuitDialog({ circuit, close }: EndCircuitDialogProps) {
  const { isBusy, failure, attempt } = useAttempt();
  const { id, identityId, identity, serviceId, service } = circuit;
  const end = async (): Promise<void> => {
    await ask(EndCircuit, { id });
    close();
  };
  return (
    <Dialog close={close} title={texts.traffic.endTitle}>
      <div className="stack">
        <div>
          {texts.traffic.endQuestion(identity?.name ?? identityId, service?.name ?? serviceId)}
        </div>
        <FailureNotice failure={failure} />
        <div className="row end">
          <Button variant="default" onClick={close}>
            {texts.form.cancel}
          </Button>
          <Button
            color="red"
            loading={isBusy}
            onClick={() => {
              attempt(end);
            }}
          >
            {texts.traffic.endNow}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
