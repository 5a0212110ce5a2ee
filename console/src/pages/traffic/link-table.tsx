import { Link as PageLink } from '@tanstack/react-router';
import { useState } from 'react';
import { wordsOf } from '../../description/names.js';
import { useLiveRows } from '../../graph/use-live.js';
import { EntityLink } from '../../parts/entity-link.js';
import { LongTable, type Column, type Order } from '../../parts/long-table.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { textOfOrder } from '../../parts/order.js';
import { LinkDialog } from './link-dialog.js';
import { readLinks, UNMEASURED_LATENCY, type Link } from './links.js';

interface LinkTableProps {
  /** The links of this router alone. */
  readonly router: string | undefined;
  readonly round: number;
}

/** The links between routers, with what they cost. */
export function LinkTable({ router, round }: LinkTableProps) {
  const [order, setOrder] = useState<Order>({ name: 'cost', isDescending: true });
  const [edited, setEdited] = useState<Link>();
  const may = useMay();
  const wanted = { router, sort: textOfOrder(order), routers: may('Query', 'routers') };
  const rows = useLiveRows(
    JSON.stringify(['links', wanted]),
    (part) => readLinks(wanted, part),
    round,
  );
  const columns = may('Mutation', 'updateLink') ? [...COLUMNS, editColumn(setEdited)] : COLUMNS;
  return (
    <>
      <LongTable
        label={wordsOf('links')}
        columns={columns}
        rows={rows}
        order={order}
        setOrder={setOrder}
      />
      {edited ? (
        <LinkDialog
          link={edited}
          close={() => {
            setEdited(undefined);
          }}
          reload={rows.reload}
        />
      ) : null}
    </>
  );
}

const latencyOf = (millis: number): string =>
  millis >= UNMEASURED_LATENCY ? texts.traffic.notMeasured : texts.traffic.millis(millis);

const numberColumn = (name: 'cost' | 'staticCost'): Column<Link> => ({
  name,
  title: wordsOf(name),
  width: '6.5rem',
  isSortable: true,
  show: ({ [name]: value }) => <span className="number">{value.toLocaleString()}</span>,
});

const COLUMNS: readonly Column<Link>[] = [
  {
    name: 'from',
    title: texts.traffic.from,
    width: 'minmax(8rem, 1fr)',
    show: ({ sourceRouterId, sourceRouter }) => (
      <EntityLink type="Router" id={sourceRouterId} name={sourceRouter?.name} />
    ),
  },
  {
    name: 'to',
    title: texts.traffic.to,
    width: 'minmax(8rem, 1fr)',
    show: ({ destRouterId, destRouter }) => (
      <EntityLink type="Router" id={destRouterId} name={destRouter?.name} />
    ),
  },
  {
    name: 'state',
    title: texts.traffic.state,
    width: '8.5rem',
    show: ({ down }) =>
      down ? (
        <span className="tag warn">{texts.traffic.down}</span>
      ) : (
        <span className="tag good">{texts.traffic.up}</span>
      ),
  },
  numberColumn('cost'),
  numberColumn('staticCost'),
  {
    name: 'latencies',
    title: texts.traffic.latencies,
    width: '10rem',
    show: ({ sourceLatency, destLatency }) =>
      texts.traffic.bothWays(latencyOf(sourceLatency), latencyOf(destLatency)),
  },
  {
    name: 'circuits',
    title: wordsOf('circuits'),
    width: '5.5rem',
    show: ({ id, circuits: { totalCount } }) => (
      <PageLink to="/traffic" search={{ view: 'circuits', link: id }} className="number">
        {totalCount.toLocaleString()}
      </PageLink>
    ),
  },
  {
    name: 'id',
    title: wordsOf('id'),
    width: 'minmax(8rem, 1fr)',
    show: ({ id }) => <EntityLink type="Link" id={id} name={id} />,
  },
];

const editColumn = (edit: (link: Link) => void): Column<Link> => ({
  name: 'edit',
  title: texts.entity.edit,
  width: '5.5rem',
  show: (link) => (
    <button
      type="button"
      className="link"
      aria-label={texts.traffic.editLink(link.id)}
      onClick={() => {
        edit(link);
      }}
    >
      {texts.traffic.edit}
    </button>
  ),
});
