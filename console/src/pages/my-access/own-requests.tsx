import { wordsOfValue } from '../../description/names.js';
import {
  CancelRequest,
  OwnRequests as OwnRequestsQuery,
  RevokeOwnAccess,
  type OwnRequest,
} from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useCaller } from '../../graph/caller-context.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { useLiveRows } from '../../graph/use-live.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import type { AccessRounds } from './use-access-rounds.js';

/** The requests of the caller, which it takes back or ends. */
export function OwnRequests({ round, changed }: AccessRounds) {
  const { id: identityId } = useCaller();
  const { failure, attempt } = useAttempt();
  const rows = useLiveRows(
    `own requests ${identityId}`,
    async ({ offset, first, signal }) => {
      const variables = { identityId, first, offset };
      const { accessRequests } = await ask(OwnRequestsQuery, variables, { signal });
      return accessRequests ?? { totalCount: 0, nodes: [] };
    },
    round,
  );
  const end = ({ id, state }: OwnRequest): void => {
    attempt(async () => {
      await (state === 'OPEN' ? ask(CancelRequest, { id }) : ask(RevokeOwnAccess, { id }));
      changed();
    });
  };
  return (
    <>
      <p className="dim">{texts.myAccess.requestsHelp}</p>
      <FailureNotice failure={failure} />
      <LongTable label={texts.myAccess.views.requests} columns={columnsOf(end)} rows={rows} />
    </>
  );
}

const columnsOf = (end: (request: OwnRequest) => void): readonly Column<OwnRequest>[] => [
  {
    name: 'offer',
    title: texts.myAccess.offer,
    width: 'minmax(9rem, 1fr)',
    show: ({ offerName }) => offerName,
  },
  {
    name: 'asked',
    title: texts.myAccess.asked,
    width: '8rem',
    show: ({ createdAt }) => <Instant at={createdAt} isRelative />,
  },
  {
    name: 'reason',
    title: texts.myAccess.reason,
    width: 'minmax(9rem, 1.5fr)',
    show: ({ reason }) => reason,
  },
  {
    name: 'minutes',
    title: texts.myAccess.minutes,
    width: '5rem',
    show: ({ requestedMinutes }) => requestedMinutes.toLocaleString(),
  },
  {
    name: 'state',
    title: texts.myAccess.state,
    width: '7rem',
    show: ({ state }) => wordsOfValue(state),
  },
  {
    name: 'until',
    title: texts.myAccess.until,
    width: '11rem',
    show: ({ state, grantedUntil }) => (
      <Instant at={state === 'GRANTED' || state === 'ENDED' ? grantedUntil : null} />
    ),
  },
  {
    name: 'comment',
    title: texts.myAccess.comment,
    width: 'minmax(9rem, 1.5fr)',
    show: ({ comment }) => comment ?? texts.none,
  },
  {
    name: 'action',
    title: texts.myAccess.action,
    width: '7rem',
    show: (request) => <EndButton request={request} end={end} />,
  },
];

interface EndButtonProps {
  readonly request: OwnRequest;
  readonly end: (request: OwnRequest) => void;
}

function EndButton({ request, end }: EndButtonProps) {
  const { state, offerName } = request;
  if (state !== 'OPEN' && state !== 'GRANTED') return texts.none;
  const isOpen = state === 'OPEN';
  const { cancel, cancelOf, revoke, revokeOf } = texts.myAccess;
  return (
    <button
      type="button"
      className="link"
      aria-label={isOpen ? cancelOf(offerName) : revokeOf(offerName)}
      onClick={() => {
        end(request);
      }}
    >
      {isOpen ? cancel : revoke}
    </button>
  );
}
