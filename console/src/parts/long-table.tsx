import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import type { Rows } from '../graph/use-rows.js';
import { texts } from '../texts.js';
import { FailureNotice } from './failure-notice.js';

export interface Column<Row> {
  readonly name: string;
  readonly title: ReactNode;
  /** As the grid of CSS has it: `minmax(8rem, 2fr)`. */
  readonly width: string;
  readonly isSortable?: boolean;
  readonly show: (row: Row) => ReactNode;
}

/** The column and the direction of an order. */
export interface Order {
  readonly name: string;
  readonly isDescending: boolean;
}

interface LongTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: Rows<Row>;
  readonly order?: Order | undefined;
  readonly setOrder?: (order: Order) => void;
}

const ROW_HEIGHT = 32;
const OVERSCAN = 12;

/** A table of any length, of which the browser holds the rows in view. */
export function LongTable<Row>({ label, columns, rows, order, setOrder }: LongTableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const { total = 0, show, failure, isLoading } = rows;
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  useEffect(() => {
    frame.current?.scrollTo({ top: 0 });
  }, [rows.key]);
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items.at(0)?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    if (total > 0) show(first, last);
  }, [first, last, total, show, rows.isLoading]);
  const grid: CSSProperties = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    <>
      <FailureNotice failure={failure} />
      <div className="dim" role="status">
        {totalText(rows)}
      </div>
      <div className="long-table" ref={frame} tabIndex={0} role="region" aria-label={label}>
        <div role="table" aria-label={label} aria-rowcount={total + 1} aria-busy={isLoading}>
          <div role="rowgroup" className="long-head">
            <div role="row" aria-rowindex={1} className="long-row" style={grid}>
              {columns.map((column) => (
                <Head key={column.name} column={column} order={order} setOrder={setOrder} />
              ))}
            </div>
          </div>
          <div role="rowgroup" className="long-body" style={{ height: virtualizer.getTotalSize() }}>
            {items.map(({ index, start }) => (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                className="long-row"
                style={{ ...grid, transform: `translateY(${String(start)}px)` }}
              >
                <Cells columns={columns} row={rows.rowAt(index)} />
              </div>
            ))}
          </div>
        </div>
        {total === 0 && !isLoading && !failure ? (
          <div className="empty">{texts.table.empty}</div>
        ) : null}
      </div>
    </>
  );
}

function totalText({ total, failure }: Pick<Rows<unknown>, 'total' | 'failure'>): string {
  if (total !== undefined) return texts.table.total(total);
  return failure ? texts.none : texts.loading;
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly order: Order | undefined;
  readonly setOrder: ((order: Order) => void) | undefined;
}

function Head<Row>({ column: { name, title, isSortable }, order, setOrder }: HeadProps<Row>) {
  if (!setOrder || isSortable !== true) return <div role="columnheader">{title}</div>;
  const isOrder = order?.name === name;
  const direction = order?.isDescending === true ? 'descending' : 'ascending';
  return (
    <div role="columnheader" aria-sort={isOrder ? direction : 'none'}>
      <button
        type="button"
        className="plain"
        onClick={() => {
          setOrder({ name, isDescending: isOrder && !order.isDescending });
        }}
      >
        {title}
        <span aria-hidden="true">{isOrder ? SIGNS[direction] : ''}</span>
      </button>
    </div>
  );
}

const SIGNS = { ascending: ' ▲', descending: ' ▼' } as const;

function Cells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row | undefined }) {
  return columns.map(({ name, show }) => {
    const shown = row === undefined ? '…' : show(row);
    // A long text is cut off.
    const title = typeof shown === 'string' ? { title: shown } : {};
    return (
      <div key={name} role="cell" {...title}>
        {shown}
      </div>
    );
  });
}
