import { useEffect } from 'react';
import { description } from '../../description/description.js';
import { PairNames, WhyAccess } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useChangeRounds } from '../../graph/use-change-rounds.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { useMay } from '../../shell/caller-context.js';
import { texts } from '../../texts.js';
import { isInstant } from './ask-search.js';
import { GrantingPolicies } from './granting-policies.js';
import { NearestMisses } from './nearest-misses.js';
import type { Explanation, NamedPair, Pair } from './pair.js';
import { RoutersBetween } from './routers-between.js';
import { UseOfAccess } from './use-of-access.js';

interface PairAnswerProps {
  readonly pair: Pair;
  readonly at: string | undefined;
}

/** Why the identity reaches the service, or does not; it is asked again when the network changes. */
export function PairAnswer({ pair, at }: PairAnswerProps) {
  const { data, failure, reload } = useAnswer(WhyAccess, { ...pair, at });
  const named = useNames(pair);
  const rounds = useChangeRounds();
  useEffect(() => {
    if (rounds > 0) reload();
  }, [rounds, reload]);
  const access = data?.access;
  if (access && named) return <Explained access={access} pair={named} at={at} />;
  if (failure) return <FailureNotice failure={failure} />;
  return <div className="dim">{texts.loading}</div>;
}

interface ExplainedProps {
  readonly access: Explanation;
  readonly pair: NamedPair;
  readonly at: string | undefined;
}

function Explained({ access, pair, at }: ExplainedProps) {
  const may = useMay();
  const isPast = at !== undefined;
  return (
    <>
      <Verdict access={access} pair={pair} at={at} />
      <GrantingPolicies paths={access.paths} pair={pair} isPast={isPast} />
      {isPolicyWanted(access) ? (
        <NearestMisses misses={access.nearestMisses} pair={pair} isPast={isPast} />
      ) : null}
      <RoutersBetween routers={access.routers} />
      {!isPast && may('Query', 'lastUseRecording') ? <UseOfAccess pair={pair} /> : null}
    </>
  );
}

/** Another policy helps where none grants it, or where the checks of all that do fail. */
const isPolicyWanted = ({ allowed, obstacles }: Explanation): boolean =>
  !allowed || obstacles.includes('POSTURE');

/** The names of now, when they are known; past questions may be about what no longer exists. */
function useNames(pair: Pair): NamedPair | undefined {
  const { identityId, serviceId } = pair;
  const { data, isLoading } = useAnswer(PairNames, { identityId, serviceId });
  if (isLoading) return undefined;
  return {
    ...pair,
    identityName: data?.identity?.name ?? identityId,
    serviceName: data?.service?.name ?? serviceId,
  };
}

interface VerdictProps {
  readonly access: Explanation;
  readonly pair: NamedPair;
  readonly at: string | undefined;
}

/** The answer in one sentence, with all that is in the way. */
function Verdict({ access: { allowed, obstacles }, pair, at }: VerdictProps) {
  const tone = allowed ? (obstacles.length === 0 ? 'good' : 'warn') : 'bad';
  const { may, mayNot, can, canNot } = texts.ask.verdict;
  return (
    <section className={`notice ${tone} verdict`} aria-label={texts.ask.answer} role="status">
      <h2>
        <EntityLink type="Identity" id={pair.identityId} name={pair.identityName} />{' '}
        {allowed ? may : mayNot} {texts.ask.verbs[pair.type]}{' '}
        <EntityLink type="Service" id={pair.serviceId} name={pair.serviceName} />
        {allowed && at === undefined ? (obstacles.length === 0 ? can : canNot) : null}.
      </h2>
      {at === undefined ? null : <Past at={at} />}
      {obstacles.length === 0 ? null : (
        <ul>
          {obstacles.map((obstacle) => (
            <li key={obstacle}>{description.enums.AccessObstacle?.[obstacle] ?? obstacle}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Past({ at }: { at: string }) {
  return (
    <div>
      {isInstant(at) ? (
        <>
          {texts.ask.pastAt} <Instant at={at} />.
        </>
      ) : (
        texts.ask.afterChange(at)
      )}{' '}
      {texts.ask.pastLimits}
    </div>
  );
}
