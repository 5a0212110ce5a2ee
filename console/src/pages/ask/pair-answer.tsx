import { FailureNotice } from '../../parts/failure-notice.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { GrantingPolicies } from './granting-policies.js';
import { NearestMisses } from '../../parts/access/nearest-misses.js';
import { OtherMembers } from '../../parts/other-members.js';
import {
  isPolicyWanted,
  type Explanation,
  type NamedPair,
  type Pair,
} from '../../parts/access/pair.js';
import { RoutersBetween } from './routers-between.js';
import { useExplanation } from '../../parts/access/use-explanation.js';
import { UseOfAccess } from './use-of-access.js';
import { Verdict } from '../../parts/access/verdict.js';

interface PairAnswerProps {
  readonly pair: Pair;
  readonly at: string | undefined;
}

/** Why the identity reaches the service, or does not; it is asked again when the network changes. */
export function PairAnswer({ pair, at }: PairAnswerProps) {
  const { access, named, failure } = useExplanation(pair, at);
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
      <GrantingPolicies
        paths={access.paths}
        assignments={access.assignments}
        pair={pair}
        isPast={isPast}
      />
      {isPolicyWanted(access) ? (
        <NearestMisses misses={access.nearestMisses} pair={pair} isPast={isPast} />
      ) : null}
      <RoutersBetween routers={access.routers} />
      <OtherMembers values={access} shown={SHOWN} />
      {!isPast && may('Query', 'lastUseRecording') ? <UseOfAccess pair={pair} /> : null}
    </>
  );
}

const SHOWN = ['allowed', 'obstacles', 'paths', 'assignments', 'nearestMisses', 'routers'] as const;
