import { getRouteApi, Link } from '@tanstack/react-router';
import type { Kind } from '../../description/description.js';
import { kindOfList, type ShownField } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import { useMay, useMayRead } from '../../graph/caller-context.js';
import { PageHeading } from '../../parts/page-heading.js';
import { texts } from '../../texts.js';
import { BulkBar } from './bulk-bar.js';
import { offeredBulk } from './bulk-changes.js';
import { ColumnMenu } from './column-menu.js';
import { columnsOf } from './entity-columns.js';
import { EntityTable } from './entity-table.js';
import { FilterField } from '../../parts/filter-field.js';
import type { ListSearch } from '../../addresses/list-search.js';
import { firstOrder, orderOfText, textOfOrder } from '../../parts/order.js';
import { useSelection } from './use-selection.js';

const route = getRouteApi('/entities/$list');

/** The list of a kind of entities, by filter, order and columns of its address. */
export function ListPage() {
  const { list } = route.useParams();
  const kind = kindOfList(list);
  return kind ? <List kind={kind} /> : <div className="notice">{texts.shell.notFound}</div>;
}

function List({ kind }: { kind: Kind }) {
  const { filter, sort, columns } = route.useSearch();
  const navigate = route.useNavigate();
  const offered = offeredBulk(kind, useMay());
  const selection = useSelection(`${kind.list} ${filter ?? ''}`);
  const fields = columnsOf(kind, columns, useMayRead());
  const order = orderOfText(sort) ?? firstOrder(kind);
  const change = (changed: ListSearch): void => {
    void navigate({ search: (before: ListSearch) => ({ ...before, ...changed }), replace: true });
  };
  return (
    <div className="stack fill">
      <ListHead kind={kind} filter={filter} fields={fields} change={change} />
      {offered ? (
        <BulkBar
          key={selection.key}
          kind={kind}
          offered={offered}
          selection={selection}
          filter={filter}
          order={order}
        />
      ) : null}
      <EntityTable
        kind={kind}
        label={wordsOf(kind.list)}
        fields={fields}
        filter={filter}
        order={order}
        setOrder={(next) => {
          change({ sort: textOfOrder(next) });
        }}
        selection={offered ? selection : undefined}
      />
    </div>
  );
}

interface ListHeadProps {
  readonly kind: Kind;
  readonly filter: string | undefined;
  readonly fields: readonly ShownField[];
  readonly change: (changed: ListSearch) => void;
}

function ListHead({ kind, filter, fields, change }: ListHeadProps) {
  const may = useMay();
  const { list } = kind;
  return (
    <div className="head">
      <PageHeading text={wordsOf(list)} />
      <FilterField
        key={list}
        kind={kind}
        filter={filter}
        setFilter={(next) => {
          change({ filter: next });
        }}
      />
      {kind.type === 'AccessReview' && may('Mutation', 'startAccessReview') ? (
        <Link to="/reviews/new" className="button">
          {texts.list.create}
        </Link>
      ) : null}
      {kind.create !== undefined && may('Mutation', kind.create) ? (
        <Link to="/create/$list" params={{ list }} className="button">
          {texts.list.create}
        </Link>
      ) : null}
      <ColumnMenu
        kind={kind}
        chosen={fields.map(({ name }) => name)}
        choose={(names) => {
          change({ columns: names?.join(',') });
        }}
      />
    </div>
  );
}
