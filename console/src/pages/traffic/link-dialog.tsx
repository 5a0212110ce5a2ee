import { Button, Checkbox, NumberInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { wordsOf } from '../../description/names.js';
import { ChangeLink } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { Dialog } from '../../parts/dialog.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { texts } from '../../texts.js';
import type { Link } from './links.js';

interface LinkDialogProps {
  readonly link: Link;
  readonly close: () => void;
  /** The link has changed. */
  readonly reload: () => void;
}

/** Makes a link dearer, or closes it for traffic; it says first how many circuits this moves. */
export function LinkDialog({ link, close, reload }: LinkDialogProps) {
  const { id, revision, sourceRouterId, sourceRouter, destRouterId, destRouter } = link;
  const [staticCost, setStaticCost] = useState<number | string>(link.staticCost);
  const [isDown, setDown] = useState(link.down);
  const { isBusy, failure, attempt } = useAttempt();
  const input = {
    ...(staticCost === link.staticCost ? {} : { staticCost: Number(staticCost) }),
    ...(isDown === link.down ? {} : { down: isDown }),
  };
  const isChanged = staticCost !== '' && Object.keys(input).length > 0;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    attempt(async () => {
      await ask(ChangeLink, { id, ifRevision: revision, input });
      reload();
      close();
    });
  };
  const title = texts.traffic.linkOf(
    sourceRouter?.name ?? sourceRouterId,
    destRouter?.name ?? destRouterId,
  );
  return (
    <Dialog close={close} title={title}>
      <form onSubmit={submit} className="stack">
        <NumberInput
          label={wordsOf('staticCost')}
          description={texts.traffic.staticCostHelp}
          required
          min={0}
          max={MAX_COST}
          allowDecimal={false}
          value={staticCost}
          onChange={setStaticCost}
        />
        <Checkbox
          label={texts.traffic.closeLink}
          checked={isDown}
          onChange={(event) => {
            setDown(event.currentTarget.checked);
          }}
        />
        <div className="notice warn">{texts.traffic.linkQuestion(link.circuits.totalCount)}</div>
        <FailureNotice failure={failure} />
        <div className="row end">
          <Button variant="default" onClick={close}>
            {texts.form.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={!isChanged}>
            {texts.form.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The controller counts costs in 32 bits. */
const MAX_COST = 2_147_483_647;
