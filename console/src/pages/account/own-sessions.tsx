import { Button } from '@mantine/core';
import { EndApiSession, type AccountResult } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';

type Sessions = NonNullable<AccountResult['currentIdentity']>['apiSessions']['nodes'];

interface OwnSessionsProps {
  readonly sessions: Sessions;
  readonly currentId: string | undefined;
  readonly reload: () => void;
}

/** Where the caller is logged in; other sessions than this one can be ended. */
export function OwnSessions({ sessions, currentId, reload }: OwnSessionsProps) {
  const { failure, attempt } = useAttempt();
  const mayEnd = useMay()('Mutation', 'deleteApiSession');
  const end = (id: string): void => {
    attempt(async () => {
      await ask(EndApiSession, { id });
      reload();
    });
  };
  return (
    <Panel title={texts.account.sessions}>
      <FailureNotice failure={failure} />
      <PlainTable
        label={texts.account.sessions}
        heads={[texts.account.from, texts.account.since, texts.account.active, texts.account.end]}
        rows={sessions.map(({ id, ipAddress, createdAt, lastActivityAt }) => [
          id,
          [
            ipAddress,
            <Instant key="since" at={createdAt} />,
            <Instant key="active" at={lastActivityAt} isRelative />,
            id === currentId || !mayEnd ? (
              id === currentId && texts.account.thisOne
            ) : (
              <Button
                key="end"
                variant="subtle"
                onClick={() => {
                  end(id);
                }}
              >
                {texts.account.end}
              </Button>
            ),
          ],
        ])}
      />
    </Panel>
  );
}
