import { Checkbox } from '@mantine/core';
import type { Kind } from '../../description/description.js';
import {
  relatedOperation,
  rowsOperation,
  type Row,
  type RowsVariables,
} from '../../description/documents.js';
import { hasName, type Shape, type ShownField } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import { askPartly } from '../../graph/ask.js';
import { useRows, type PartWanted, type RowsPart } from '../../graph/use-rows.js';
import { subjectOf } from '../../parts/certificate-details.js';
import { EntityLink } from '../../parts/entity-link.js';
import { LongTable, type Column, type Order } from '../../parts/long-table.js';
import { textOfValue, Value } from '../../parts/value.js';
import { texts } from '../../texts.js';
import { textOfOrder } from '../../parts/order.js';
import type { Selection } from './use-selection.js';

/** The entity whose relation is listed. */
export interface Owner {
  readonly kind: Kind;
  readonly id: string;
  readonly relation: string;
}

interface EntityTableProps {
  readonly kind: Kind;
  readonly label: string;
  readonly fields: readonly ShownField[];
  readonly filter?: string | undefined;
  readonly order?: Order | undefined;
  readonly setOrder?: (order: Order) => void;
  readonly owner?: Owner;
  readonly selection?: Selection | undefined;
}

const EMPTY: RowsPart<Row> = { totalCount: 0, nodes: [] };

/** Lists entities of a kind; the first column leads to their pages. */
export function EntityTable(props: EntityTableProps) {
  const { kind, label, fields, filter, order, setOrder, owner, selection } = props;
  const names = [...fields.map(({ name }) => name), ...(selection ? ['isSystem'] : [])];
  const wanted = {
    filter: filter === '' ? undefined : filter,
    sort: order && textOfOrder(order),
  };
  const load = (part: PartWanted): Promise<RowsPart<Row>> =>
    readRows(
      kind,
      names,
      owner,
      { ...wanted, offset: part.offset, first: part.first },
      part.signal,
    );
  const key = JSON.stringify([
    kind.list,
    owner?.kind.list,
    owner?.id,
    owner?.relation,
    names,
    wanted,
  ]);
  const rows = useRows(key, load);
  const columns = [
    ...(selection ? [selectionColumn(kind, selection)] : []),
    linkColumn(kind),
    ...fields
      .filter(({ name }) => name !== mainField(kind))
      .map((field) => valueColumn(kind, field)),
  ];
  return (
    <LongTable
      label={label}
      columns={columns}
      rows={rows}
      order={order}
      {...(setOrder ? { setOrder } : {})}
    />
  );
}

/** What could be read is shown, also when a member of it is for others alone. */
async function readRows(
  kind: Kind,
  names: readonly string[],
  owner: Owner | undefined,
  variables: RowsVariables,
  signal: AbortSignal,
): Promise<RowsPart<Row>> {
  const answer = owner
    ? await askPartly(
        relatedOperation(owner.kind, owner.relation, kind, names),
        { ...variables, id: owner.id },
        { signal },
      ).then(({ data, failures }) => ({ data: data?.entity, failures }))
    : await askPartly(rowsOperation(kind, names), variables, { signal });
  const rows = answer.data?.rows;
  const [failure] = answer.failures;
  if (!rows && failure) throw failure;
  return rows ?? EMPTY;
}

const mainField = ({ type }: Kind): string => (hasName(type) ? 'name' : 'id');

/** System entities are not selected: they come and go with others. */
const selectionColumn = (kind: Kind, { ids, toggle }: Selection): Column<Row> => ({
  name: 'selected',
  title: <span className="hidden">{texts.bulk.selected}</span>,
  width: '2.4rem',
  show: (row) =>
    row.isSystem === true ? null : (
      <Checkbox
        size="xs"
        aria-label={texts.bulk.select(textOfValue(row[mainField(kind)]))}
        checked={ids.has(row.id)}
        onChange={() => {
          toggle(row.id);
        }}
      />
    ),
});

function linkColumn(kind: Kind): Column<Row> {
  const name = mainField(kind);
  return {
    name,
    title: wordsOf(name),
    width: 'minmax(11rem, 2fr)',
    isSortable: kind.orderFields.includes(name),
    show: (row) => <EntityLink type={kind.type} id={row.id} name={textOfValue(row[name])} />,
  };
}

/** The least width in rem, and the share of what is left. */
const WIDTHS: Readonly<Record<ShownField['shape'], readonly [number, number]>> = {
  boolean: [5, 0],
  certificate: [11, 2],
  certificates: [11, 2],
  enum: [7, 0],
  json: [10, 2],
  members: [10, 2],
  number: [5, 0],
  reference: [9, 1],
  roles: [11, 2],
  rows: [10, 2],
  text: [8, 1],
  texts: [11, 2],
  time: [11.5, 0],
};

/** The title fits into the column, too, with the mark of its order. */
function widthOf({ name, shape }: ShownField): string {
  const [least, share] = WIDTHS[shape];
  const width = `${String(Math.max(least, wordsOf(name).length * 0.5 + 2.5))}rem`;
  return share === 0 ? width : `minmax(${width}, ${String(share)}fr)`;
}

const valueColumn = (kind: Kind, field: ShownField): Column<Row> => ({
  name: field.name,
  title: wordsOf(field.name),
  width: widthOf(field),
  isSortable: kind.orderFields.includes(field.name),
  show: (row) => <Cell field={field} value={row[field.name]} />,
});

const LONG_SHAPES: readonly Shape[] = ['certificates', 'json', 'members', 'rows'];

/** A value on one line. */
function Cell({ field, value }: { field: ShownField; value: unknown }) {
  if (LONG_SHAPES.includes(field.shape)) return <code>{JSON.stringify(value)}</code>;
  if (field.shape === 'certificate') return <>{subjectOf(value)}</>;
  return <Value field={field} value={value} />;
}
