import { getRouteApi, Link } from '@tanstack/react-router';
import { kindOfList } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import { useMay } from '../../shell/caller-context.js';
import { texts } from '../../texts.js';
import { ColumnMenu } from './column-menu.js';
import { columnsOf } from './entity-columns.js';
import { EntityTable } from './entity-table.js';
import { FilterField } from './filter-field.js';
import type { ListSearch } from './list-search.js';
import { firstOrder, orderOfText, textOfOrder } from './order.js';

const route = getRouteApi('/entities/$list');

/** The list of a kind of entities, by filter, order and columns of its address. */
export function ListPage() {
  const { list } = route.useParams();
  const { filter, sort, columns } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const kind = kindOfList(list);
  if (!kind) return <div className="notice">{texts.shell.notFound}</div>;
  const fields = columnsOf(kind, columns);
  const change = (changed: ListSearch): void => {
    void navigate({ search: (before: ListSearch) => ({ ...before, ...changed }), replace: true });
  };
  const title = wordsOf(kind.list);
  return (
    <div className="stack fill">
      <div className="head">
        <h1>{title}</h1>
        <FilterField
          key={`${list} ${filter ?? ''}`}
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
      <EntityTable
        kind={kind}
        label={title}
        fields={fields}
        filter={filter}
        order={orderOfText(sort) ?? firstOrder(kind)}
        setOrder={(order) => {
          change({ sort: textOfOrder(order) });
        }}
      />
    </div>
  );
}
