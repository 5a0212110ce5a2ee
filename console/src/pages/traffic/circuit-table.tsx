import { useState } from 'react';
import { wordsOf } from '../../description/names.js';
import { useLiveRows } from '../../graph/use-live.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Instant } from '../../parts/instant.js';
import { LongTable, type Column, type Order } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import { textOfOrder } from '../../parts/order.js';
import { Bytes } from './bytes.js';
import { readCircuits, useReadableNames, type Circuit } from './circuits.js';
import { nameOf } from './router-scene.js';
import type { ChangeSearch, TrafficSearch } from '../../addresses/traffic-search.js';

interface CircuitTableProps {
  readonly search: TrafficSearch;
  readonly change: ChangeSearch;
  readonly round: number;
}

/** The circuits of this moment; each can be chosen. */
export function CircuitTable({ search, change, round }: CircuitTableProps) {
  const [order, setOrder] = useState<Order>({ name: 'createdAt', isDescending: true });
  const names = useReadableNames();
  const { identity, service, router, link } = search;
  const wanted = { ends: { identity, service, router, link }, sort: textOfOrder(order), names };
  const rows = useLiveRows(
    JSON.stringify(['circuits', wanted]),
    (part) => readCircuits(wanted, part),
    round,
  );
  const columns = [chooseColumn(search.circuit, change), ...COLUMNS];
  return (
    <LongTable
      label={wordsOf('circuits')}
      columns={columns}
      rows={rows}
      order={order}
      setOrder={setOrder}
    />
  );
}

const chooseColumn = (chosen: string | undefined, change: ChangeSearch): Column<Circuit> => ({
  name: 'id',
  title: wordsOf('Circuit'),
  width: '8.5rem',
  show: ({ id }) => (
    <button
      type="button"
      className="link"
      title={id}
      aria-pressed={id === chosen}
      onClick={() => {
        change({ circuit: id });
      }}
    >
      {id}
    </button>
  ),
});

const COLUMNS: readonly Column<Circuit>[] = [
  {
    name: 'identity',
    title: wordsOf('Identity'),
    width: 'minmax(8rem, 1fr)',
    show: ({ identityId, identity }) => (
      <EntityLink type="Identity" id={identityId} name={identity?.name} />
    ),
  },
  {
    name: 'service',
    title: wordsOf('Service'),
    width: 'minmax(8rem, 1fr)',
    show: ({ serviceId, service }) => (
      <EntityLink type="Service" id={serviceId} name={service?.name} />
    ),
  },
  {
    name: 'way',
    title: texts.traffic.way,
    width: 'minmax(14rem, 1.75fr)',
    show: ({ path }) => texts.traffic.wayOf(path.routers.map(nameOf)),
  },
  {
    name: 'terminator',
    title: wordsOf('Terminator'),
    width: 'minmax(8rem, 1fr)',
    show: ({ terminatorId }) => (
      <EntityLink type="Terminator" id={terminatorId} name={terminatorId} />
    ),
  },
  {
    name: 'createdAt',
    title: texts.traffic.since,
    width: '8rem',
    isSortable: true,
    show: ({ createdAt }) => <Instant at={createdAt} isRelative />,
  },
  {
    name: 'sent',
    title: texts.traffic.sent,
    width: '5.5rem',
    show: ({ sentBytes }) => <Bytes count={sentBytes} />,
  },
  {
    name: 'received',
    title: texts.traffic.received,
    width: '5.5rem',
    show: ({ receivedBytes }) => <Bytes count={receivedBytes} />,
  },
];
