import { useCallback, useEffect, useRef, useState } from 'react';
import { useConnection } from './connection.js';
import { failureOf, type Failure } from './failure.js';
import { useSession } from './session.js';

/** A part of a list. */
export interface RowsPart<Row> {
  readonly totalCount: number;
  readonly nodes: readonly Row[];
}

export interface PartWanted {
  readonly offset: number;
  readonly first: number;
  readonly signal: AbortSignal;
}

export interface Rows<Row> {
  /** Identifies the list and its order. */
  readonly key: string;
  /** Undefined until the first answer. */
  readonly total: number | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** Gives a row; undefined until it is read. */
  readonly rowAt: (index: number) => Row | undefined;
  /** Reads the rows between two places that were not read yet. */
  readonly show: (from: number, to: number) => void;
  readonly reload: () => void;
}

interface Held<Row> {
  readonly key: string;
  /** The list of the parts. */
  readonly list: string;
  readonly total: number | undefined;
  readonly parts: ReadonlyMap<number, readonly Row[]>;
  readonly failure: Failure | undefined;
}

const IN_A_PART = 100;

/**
 * Reads a long list in parts, as they come into view. When the key or the round changes, after a login, or
 * when the controller is back, it begins again; the old rows stay until new ones have come: with another
 * key until the first ones, else each part until it is read again.
 */
export function useRows<Row>(
  key: string,
  load: (wanted: PartWanted) => Promise<RowsPart<Row>>,
  round = 0,
): Rows<Row> {
  const { logins, stage } = useSession();
  const { returns } = useConnection();
  const [reloads, setReloads] = useState(0);
  const [held, setHeld] = useState<Held<Row>>(NOTHING);
  const latest = useRef(load);
  latest.current = load;
  const wanted = [key, logins, returns, round, reloads].join(' ');
  const read = useRef<(part: number) => void>(undefined);
  useEffect(() => {
    if (stage !== 'open') return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    const asked = new Set<number>();
    read.current = (part) => {
      if (asked.has(part)) return;
      asked.add(part);
      latest.current({ offset: part * IN_A_PART, first: IN_A_PART, signal }).then(
        ({ totalCount, nodes }) => {
          if (signal.aborted) return;
          setHeld(({ list, parts }) => ({
            key: wanted,
            list: key,
            total: totalCount,
            parts: new Map([...(list === key ? parts : []), [part, nodes]]),
            failure: undefined,
          }));
        },
        (fault: unknown) => {
          if (signal.aborted) return;
          const failure = failureOf(fault);
          setHeld((before) => ({ ...before, key: wanted, failure }));
        },
      );
    };
    read.current(0);
    return () => {
      abort.abort();
    };
  }, [wanted, stage]);
  const show = useCallback((from: number, to: number) => {
    for (let part = partOf(from); part <= partOf(to); part += 1) read.current?.(part);
  }, []);
  const reload = useCallback(() => {
    setReloads((number) => number + 1);
  }, []);
  return {
    key,
    total: held.total,
    failure: held.failure,
    isLoading: stage === 'open' && held.key !== wanted,
    rowAt: (index) => held.parts.get(partOf(index))?.[index % IN_A_PART],
    show,
    reload,
  };
}

const partOf = (index: number): number => Math.floor(Math.max(index, 0) / IN_A_PART);

const NOTHING: Held<never> = {
  key: '',
  list: '',
  total: undefined,
  parts: new Map(),
  failure: undefined,
};

/** Rows that are all at hand; undefined until they are read. */
export const rowsAtHand = <Row>(
  rows: readonly Row[] | undefined,
  { failure, isLoading }: Pick<Rows<Row>, 'failure' | 'isLoading'>,
): Rows<Row> => ({
  key: '',
  total: rows?.length,
  failure,
  isLoading,
  rowAt: (index) => rows?.[index],
  show: () => undefined,
  reload: () => undefined,
});
