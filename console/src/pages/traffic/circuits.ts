import { useEffect, useState } from 'react';
import {
  TrafficCircuit,
  TrafficCircuits,
  TrafficCircuitsOfLink,
  TrafficCircuitsOfRouter,
  type CircuitWhere,
  type TrafficCircuitResult,
  type TrafficCircuitsResult,
} from '../../emitted/operations.js';
import { askPartly, type Answer } from '../../graph/ask.js';
import type { Failure } from '../../graph/failure.js';
import type { AnswerState } from '../../graph/use-answer.js';
import { useLiveAnswer } from '../../graph/use-live.js';
import type { PartWanted, RowsPart } from '../../graph/use-rows.js';
import { useMay } from '../../graph/caller-context.js';
import type { TrafficSearch } from '../../addresses/traffic-search.js';

export type Circuit = NonNullable<TrafficCircuitsResult['circuits']>['nodes'][number];

/** Which names the caller may read; else the ids stand for them. */
export interface ReadableNames {
  readonly identities: boolean;
  readonly services: boolean;
}

export function useReadableNames(): ReadableNames {
  const may = useMay();
  return { identities: may('Query', 'identities'), services: may('Query', 'services') };
}

export interface CircuitState {
  readonly circuit: Circuit | undefined;
  /** It was chosen, and is there no more. */
  readonly isEnded: boolean;
  readonly failure: Failure | undefined;
}

/** Follows the chosen circuit until it ends. */
export function useCircuit(id: string | undefined, round: number): CircuitState {
  const names = useReadableNames();
  const [endedId, setEndedId] = useState<string>();
  const isWanted = id !== undefined;
  const isEnded = isWanted && id === endedId;
  const answer = useLiveAnswer(TrafficCircuit, { id: id ?? '', ...names }, round, {
    when: isWanted && !isEnded,
  });
  const { failure, isLoading } = answer;
  const isMissing = failure?.code === 'NOT_FOUND';
  const isJustEnded = isMissing && !isLoading;
  useEffect(() => {
    if (isJustEnded) setEndedId(id);
  }, [isJustEnded, id]);
  return {
    circuit: isEnded ? undefined : circuitOf(answer),
    isEnded,
    failure: isWanted && !isMissing ? failure : undefined,
  };
}

function circuitOf({ data, isOfOthers }: AnswerState<TrafficCircuitResult>): Circuit | undefined {
  return isOfOthers ? undefined : (data?.circuit ?? undefined);
}

export interface CircuitsWanted {
  readonly ends: Pick<TrafficSearch, 'identity' | 'service' | 'router' | 'link'>;
  readonly sort: string;
  readonly names: ReadableNames;
}

/** Reads a part of the circuits of an identity, a service, a router or a link, or of all. */
export async function readCircuits(
  wanted: CircuitsWanted,
  { offset, first, signal }: PartWanted,
): Promise<RowsPart<Circuit>> {
  const { ends, names, sort } = wanted;
  const variables = { where: whereOf(ends), sort, first, offset, ...names };
  const options = { signal };
  if (ends.link !== undefined) {
    const answer = await askPartly(TrafficCircuitsOfLink, { id: ends.link, ...variables }, options);
    return partOf(answer, answer.data?.link?.circuits);
  }
  if (ends.router !== undefined) {
    const answer = await askPartly(
      TrafficCircuitsOfRouter,
      { id: ends.router, ...variables },
      options,
    );
    return partOf(answer, answer.data?.router?.circuits);
  }
  const answer = await askPartly(TrafficCircuits, variables, options);
  return partOf(answer, answer.data?.circuits);
}

function partOf(
  { failures: [failure] }: Answer<unknown>,
  part: RowsPart<Circuit> | null | undefined,
): RowsPart<Circuit> {
  if (!part && failure) throw failure;
  return part ?? { totalCount: 0, nodes: [] };
}

/** An identity has the circuits that it dials, and those that it hosts. */
function whereOf({ identity, service }: CircuitsWanted['ends']): CircuitWhere | undefined {
  const conditions: CircuitWhere[] = [];
  if (identity !== undefined) {
    conditions.push({ or: [{ identityId: { eq: identity } }, { hostId: { eq: identity } }] });
  }
  if (service !== undefined) conditions.push({ serviceId: { eq: service } });
  return conditions.length === 0 ? undefined : { and: conditions };
}
