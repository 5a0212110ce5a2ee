import { useQueries, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
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

const IN_A_PART = 100;

/** Parts that went out of view are given up after so long. */
const KEPT_MS = 5 * 60_000;

/** The places of a list that are in view. */
interface Window {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a long list in parts, as they come into view: the first one, and those in view. When the key
 * changes, after a login, or when the controller is back, it begins again; the old rows stay until new ones
 * have come: with another key until the first ones, else each part until it is read again.
 */
export function useRows<Row>(
  key: string,
  load: (wanted: PartWanted) => Promise<RowsPart<Row>>,
): Rows<Row> {
  const { stage } = useSession();
  const client = useQueryClient();
  // A list that is opened again shows nothing of before.
  const list = useId();
  const [view, setView] = useState<Window>({ key, from: 0, to: 0 });
  const results = useQueries({
    queries: partsIn(view, key).map((part) => ({
      queryKey: [list, key, part],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        load({ offset: part * IN_A_PART, first: IN_A_PART, signal }),
      enabled: stage === 'open',
      staleTime: Infinity,
      gcTime: KEPT_MS,
      notifyOnChangeProps: 'all' as const,
    })),
  });
  const shown = useRef(key);
  if (results[0]?.data) shown.current = key;
  const partOfShown = (part: number): RowsPart<Row> | undefined =>
    client.getQueryData([list, shown.current, part]);
  const fault = results.find(({ error }) => error)?.error;
  const show = useCallback(
    (from: number, to: number) => {
      const next = { key, from: partOf(from), to: partOf(to) };
      setView((before) => (isSame(before, next) ? before : next));
    },
    [key],
  );
  const reload = useCallback(() => {
    void client.cancelQueries({ queryKey: [list] }, { silent: true });
    void client.invalidateQueries({ queryKey: [list] });
  }, [client, list]);
  useEffect(() => {
    // Parts that were read for an earlier list of this key are there; they are read again.
    void client.invalidateQueries({ queryKey: [list] });
  }, [client, list, key]);
  return {
    key,
    total: newestTotal(client, [list, shown.current]),
    failure: fault ? failureOf(fault) : undefined,
    isLoading: stage === 'open' && results[0]?.isFetching === true,
    rowAt: (index) => partOfShown(partOf(index))?.nodes[index % IN_A_PART],
    show,
    reload,
  };
}

const isSame = (a: Window, b: Window): boolean =>
  a.key === b.key && a.from === b.from && a.to === b.to;

const partOf = (index: number): number => Math.floor(Math.max(index, 0) / IN_A_PART);

/** A list with another key begins at its top. */
function partsIn({ from, to, ...view }: Window, key: string): readonly number[] {
  if (view.key !== key) return [0];
  const inView = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return [...new Set([0, ...inView])];
}

/** The parts were read one after the other, and the list may have grown between them. */
function newestTotal(client: QueryClient, list: readonly string[]): number | undefined {
  const [newest] = client
    .getQueryCache()
    .findAll({ queryKey: list, predicate: ({ state }) => state.data !== undefined })
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  return (newest?.state.data as RowsPart<unknown> | undefined)?.totalCount;
}

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
