import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { wordsOf } from '../../description/names.js';
import { TrafficRouters, type TrafficRoutersResult } from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import { useLiveRows } from '../../graph/use-live.js';
import type { PartWanted, RowsPart } from '../../graph/use-rows.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Instant } from '../../parts/instant.js';
import { LongTable, type Column, type Order } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import { textOfOrder } from '../../parts/order.js';
import { stateOf } from './router-scene.js';
import { StateTag } from './router-state.js';

export type Router = NonNullable<TrafficRoutersResult['routers']>['nodes'][number];

/** The routers of both kinds, with what they carry. */
export function RouterTable({ round }: { round: number }) {
  const [order, setOrder] = useState<Order>({ name: 'name', isDescending: false });
  const sort = textOfOrder(order);
  const rows = useLiveRows(`routers ${sort}`, (part) => readRouters(sort, part), round);
  return (
    <LongTable
      label={wordsOf('routers')}
      columns={COLUMNS}
      rows={rows}
      order={order}
      setOrder={setOrder}
    />
  );
}

async function readRouters(
  sort: string,
  { offset, first, signal }: PartWanted,
): Promise<RowsPart<Router>> {
  const { data, failures } = await askPartly(TrafficRouters, { sort, first, offset }, { signal });
  const [failure] = failures;
  if (!data?.routers && failure) throw failure;
  return data?.routers ?? { totalCount: 0, nodes: [] };
}

export const typeOf = ({ isEdge }: Router): 'EdgeRouter' | 'TransitRouter' =>
  isEdge ? 'EdgeRouter' : 'TransitRouter';

const COLUMNS: readonly Column<Router>[] = [
  {
    name: 'name',
    title: wordsOf('name'),
    width: 'minmax(9rem, 1fr)',
    isSortable: true,
    show: (router) => <EntityLink type={typeOf(router)} id={router.id} name={router.name} />,
  },
  {
    name: 'state',
    title: texts.traffic.state,
    width: '7rem',
    show: (router) => <StateTag state={stateOf(router)} />,
  },
  {
    name: 'onlineSince',
    title: wordsOf('onlineSince'),
    width: '9rem',
    show: ({ onlineSince }) => <Instant at={onlineSince} isRelative />,
  },
  {
    name: 'links',
    title: wordsOf('links'),
    width: '4.5rem',
    show: ({ id, links }) => (
      <Link to="/traffic" search={{ view: 'links', router: id }} className="number">
        {links.totalCount.toLocaleString()}
      </Link>
    ),
  },
  {
    name: 'circuits',
    title: wordsOf('circuits'),
    width: '5.5rem',
    show: ({ id, circuits }) => (
      <Link to="/traffic" search={{ view: 'circuits', router: id }} className="number">
        {circuits.totalCount.toLocaleString()}
      </Link>
    ),
  },
  {
    name: 'hostname',
    title: wordsOf('hostname'),
    width: 'minmax(9rem, 1fr)',
    show: ({ hostname }) => (hostname === '' ? texts.none : hostname),
  },
  {
    name: 'version',
    title: wordsOf('version'),
    width: '6rem',
    show: ({ versionInfo }) => versionInfo?.version ?? texts.none,
  },
  {
    name: 'cost',
    title: wordsOf('cost'),
    width: '5rem',
    isSortable: true,
    show: ({ cost }) => <span className="number">{cost.toLocaleString()}</span>,
  },
  {
    name: 'noTraversal',
    title: wordsOf('noTraversal'),
    width: '7rem',
    show: ({ noTraversal }) => (noTraversal ? texts.yes : texts.no),
  },
  {
    name: 'disabled',
    title: wordsOf('disabled'),
    width: '6rem',
    show: ({ disabled }) => (disabled ? texts.yes : texts.no),
  },
];
