import { useEffect, useState } from 'react';
import type { Operation } from './operation.js';
import { useAnswer, type AnswerOptions, type AnswerState } from './use-answer.js';
import { useRows, type PartWanted, type Rows, type RowsPart } from './use-rows.js';

/** Asks the graph again when the round has grown. */
export function useLiveAnswer<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  round: number,
  options: AnswerOptions = {},
): AnswerState<Result> {
  const answer = useAnswer(operation, variables, options);
  const { isLoading, reload } = answer;
  useAfterReading(round, isLoading, reload);
  return answer;
}

/** Reads a long list again when the round has grown. */
export function useLiveRows<Row>(
  key: string,
  load: (wanted: PartWanted) => Promise<RowsPart<Row>>,
  round: number,
): Rows<Row> {
  const rows = useRows(key, load);
  useAfterReading(round, rows.isLoading, rows.reload);
  return rows;
}

/**
 * Waits until the answer of a round is there: where answers take longer than the pause between rounds,
 * each round would otherwise give up the answer of the one before it, for ever.
 */
function useAfterReading(round: number, isLoading: boolean, reload: () => void): void {
  const [readRound, setReadRound] = useState(round);
  useEffect(() => {
    if (isLoading || round === readRound) return;
    setReadRound(round);
    reload();
  }, [round, readRound, isLoading, reload]);
}
