import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { wordsOf } from '../../description/names.js';
import {
  OldestChange,
  PairChanges,
  WasAllowed,
  type PairChangesResult,
} from '../../emitted/operations.js';
import type { Failure } from '../../graph/failure.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useWatch } from '../../graph/use-watch.js';
import { EntityLink } from '../../parts/entity-link.js';
import { PolicyLinks } from '../../parts/entity-links.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';
import { Actor } from '../../parts/changes/actor.js';
import type { Pair } from '../../parts/access/pair.js';

type Event = NonNullable<PairChangesResult['accessChanges']>;

interface SinceWhenProps {
  readonly pair: Pair;
  readonly isWanted: boolean;
}

/** All changes of the log that gave or took the access. The log is long, so people ask for it. */
export function SinceWhen({ pair, isWanted }: SinceWhenProps) {
  return (
    <Panel title={texts.ask.since}>
      {isWanted ? (
        <PairHistory pair={pair} />
      ) : (
        <Link to="/ask" search={(before) => ({ ...before, since: true })} replace>
          {texts.ask.readLog}
        </Link>
      )}
    </Panel>
  );
}

function PairHistory({ pair }: { pair: Pair }) {
  const { data, failure } = useAnswer(OldestChange, {});
  const oldest = data?.changes?.nodes.at(0);
  const [events, setEvents] = useState<readonly Event[]>([]);
  useWatch(
    PairChanges,
    { ...pair, since: oldest?.id },
    ({ accessChanges: event }) => {
      setEvents((before) => withEvent(before, event));
    },
    oldest !== undefined,
  );
  return (
    <div className="stack tight">
      <FailureNotice failure={failure} />
      {events.length === 0 ? (
        <span className="dim" role="status">
          {texts.ask.noEvents}
        </span>
      ) : (
        <Events events={events} pair={pair} />
      )}
      {oldest ? <Begin pair={pair} oldest={oldest} /> : null}
    </div>
  );
}

interface BeginProps {
  readonly pair: Pair;
  readonly oldest: { readonly id: string; readonly at: string };
}

/** What held before all events of the log. */
function Begin({ pair, oldest: { id, at } }: BeginProps) {
  const { data, failure } = useAnswer(WasAllowed, { ...pair, at: id });
  const wasAllowed = data?.access?.allowed;
  if (isUnknownThen(failure)) return <div>{texts.ask.beganWithout}</div>;
  if (wasAllowed === undefined) return <FailureNotice failure={failure} />;
  return (
    <div>
      {wasAllowed ? texts.ask.beganGranted : texts.ask.beganNotGranted} <Instant at={at} />
    </div>
  );
}

/** One of both ends did not exist yet. */
const isUnknownThen = (failure: Failure | undefined): boolean => failure?.code === 'NOT_FOUND';

/** A broken stream is begun again, and gives the same events. */
const withEvent = (before: readonly Event[], event: Event): readonly Event[] =>
  before.some(({ changeId }) => changeId === event.changeId) ? before : [event, ...before];

function Events({ events, pair }: { events: readonly Event[]; pair: Pair }) {
  return (
    <PlainTable
      label={texts.ask.since}
      heads={[
        texts.changes.at,
        texts.ask.effect,
        texts.ask.byChange,
        texts.changes.actor,
        wordsOf('servicePolicies'),
        texts.ask.question,
      ]}
      rows={events.map((event) => [event.changeId, cellsOf(event, pair)])}
    />
  );
}

function cellsOf(event: Event, { identityId, serviceId, type }: Pair) {
  const { at, change, changeId, gainedCount, gained, lost } = event;
  const isGained = gainedCount > 0;
  const [grant] = isGained ? gained : lost;
  return [
    <Instant key="at" at={at} />,
    <span key="effect" className={`tag ${isGained ? 'good' : 'bad'}`}>
      {isGained ? texts.ask.gained : texts.ask.lost}
    </span>,
    <span key="change">
      {wordsOf(change.operation)} {wordsOf(change.type).toLowerCase()}{' '}
      <EntityLink type={change.type} id={change.entityId} name={change.entityName} />
      {change.reason === null ? null : <span className="dim"> {change.reason}</span>}
    </span>,
    <Actor key="actor" actorId={change.actorId} name={change.actor?.name} />,
    grant ? <PolicyLinks key="policies" policies={grant.paths} /> : texts.none,
    <Link
      key="ask"
      to="/ask"
      search={{ identity: identityId, service: serviceId, type, at: changeId, since: true }}
    >
      {texts.ask.askThen}
    </Link>,
  ];
}
