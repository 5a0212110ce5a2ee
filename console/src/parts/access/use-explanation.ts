import { PairNames, WhyAccess } from '../../emitted/operations.js';
import type { Failure } from '../../graph/failure.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useChangeRounds } from '../../graph/use-change-rounds.js';
import { useLiveAnswer } from '../../graph/use-live.js';
import type { Explanation, NamedPair, Pair } from './pair.js';

interface ExplanationState {
  readonly access: Explanation | undefined;
  readonly named: NamedPair | undefined;
  readonly failure: Failure | undefined;
}

/** Explains the access of a pair; asks again when the network changes. */
export function useExplanation(pair: Pair, at: string | undefined): ExplanationState {
  const { data, failure } = useLiveAnswer(WhyAccess, { ...pair, at }, useChangeRounds());
  const named = useNames(pair);
  return { access: data?.access ?? undefined, named, failure };
}

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
