import { Button } from '@mantine/core';
import { UnmuteFinding } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import type { Finding } from '../../parts/findings/read-findings.js';

interface MuteFactsProps {
  readonly id: string;
  readonly mute: NonNullable<Finding['mute']>;
  readonly reload: () => void;
}

/** Why a finding is muted, by whom and until when. */
export function MuteFacts({ id, mute, reload }: MuteFactsProps) {
  const may = useMay();
  const { isBusy, failure, attempt } = useAttempt();
  const unmute = (): void => {
    attempt(async () => {
      await ask(UnmuteFinding, { id });
      reload();
    });
  };
  const { reason, mutedById, mutedBy, mutedUntil, updatedAt } = mute;
  return (
    <div className="stack tight">
      <dl className="attributes">
        <div>
          <dt>{texts.findings.reason}</dt>
          <dd>{reason}</dd>
        </div>
        <div>
          <dt>{texts.findings.mutedBy}</dt>
          <dd>
            {mutedById === null ? (
              texts.none
            ) : (
              <EntityLink type="Identity" id={mutedById} name={mutedBy?.name} />
            )}
            , <Instant at={updatedAt} />
          </dd>
        </div>
        <div>
          <dt>{texts.findings.until}</dt>
          <dd>{mutedUntil === null ? texts.findings.noEnd : <Instant at={mutedUntil} />}</dd>
        </div>
      </dl>
      <FailureNotice failure={failure} />
      {may('Mutation', 'unmuteFinding') ? (
        <div className="row">
          <Button variant="default" loading={isBusy} onClick={unmute}>
            {texts.findings.unmute}
          </Button>
        </div>
      ) : null}
    </div>
  );
}
