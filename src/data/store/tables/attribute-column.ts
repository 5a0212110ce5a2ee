import type { Attribute, AttributeType } from '../../../kernel/declare/attribute.js';
import type { Catalog } from '../../../kernel/declare/catalog.js';
import type { Column, ColumnOptions, ColumnType } from '../../../kernel/declare/table.js';

const COLUMN_TYPES: Readonly<Record<AttributeType['kind'], ColumnType>> = {
  text: 'text',
  id: 'text',
  list: 'json',
  enum: 'text',
  reference: 'text',
  int: 'integer',
  bool: 'boolean',
  time: 'time',
  map: 'json',
  json: 'json',
  object: 'json',
  objects: 'json',
  bytes: 'bytes',
  set: 'texts',
  references: 'texts',
  roles: 'texts',
};

/** The column of an attribute; its `column` options override the defaults of its type. */
export function columnOfAttribute(attribute: Attribute, catalog: Catalog): Column {
  const { name, type } = attribute;
  const nullable = isNullable(attribute);
  const initial = nullable ? undefined : defaultOf(attribute);
  return {
    name,
    type: COLUMN_TYPES[type.kind],
    description: descriptionOf(attribute),
    ...(nullable && { nullable }),
    ...(initial !== undefined && { default: initial }),
    ...referenceAndIndex(type, catalog),
    ...attribute.column,
  };
}

/** The meaning of an attribute, and its values where they are closed: they are texts in the database. */
const descriptionOf = ({ description, type }: Attribute): string =>
  type.kind === 'enum' ? `${description} One of: ${type.values.join(', ')}.` : description;

const isList = ({ kind }: AttributeType): boolean =>
  kind === 'objects' || COLUMN_TYPES[kind] === 'texts';

/** Stored lists are empty, never null. A nullable attribute with a default is null only in inputs. */
const isNullable = ({ type, nullable, default: initial }: Attribute): boolean =>
  nullable === true && !isList(type) && (initial === undefined || initial === null);

/** The value of a new column in existing rows, and in rows of controllers that do not know it yet. */
function defaultOf({ type, required, default: initial, write }: Attribute): unknown {
  if (isList(type)) return [];
  if (type.kind === 'reference' || required === true || required === 'create') return undefined;
  if (initial !== undefined) return initial;
  if (type.kind === 'text') return write === 'never' ? undefined : '';
  return EMPTY[COLUMN_TYPES[type.kind]];
}

const EMPTY: Partial<Record<ColumnType, unknown>> = { integer: 0, boolean: false, json: {} };

function referenceAndIndex(type: AttributeType, catalog: Catalog): ColumnOptions {
  switch (type.kind) {
    case 'reference':
      if (type.onDelete === 'keep') return {};
      return { references: { table: catalog.get(type.target).table, onDelete: type.onDelete } };
    // Membership queries select rows that contain one of several values.
    case 'roles':
    case 'references':
      return { index: 'gin' };
    case 'set':
      return type.of === 'attribute' ? { index: 'gin' } : {};
    default:
      return {};
  }
}
