import type { Column, Reference, Table } from '../../../kernel/declare/table.js';
import { lowerFirst, upperFirst } from '../../../base/names.js';
import { foreignKeyName } from './table-sql.js';

/** A reference of a table with both its sides, as Prisma shows them. */
export interface Relation {
  readonly from: Table;
  readonly column: Column;
  readonly onDelete: Reference['onDelete'];
  readonly to: Table;
  /** Whether the same table refers to the other one by several columns. */
  readonly isOneOfSeveral: boolean;
}

/** Name, type and attributes. */
type Field = [name: string, type: string, attributes: string];

export function relationsOf(tables: readonly Table[]): Relation[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return tables.flatMap((from) =>
    from.columns.flatMap((column): Relation[] => {
      const { references } = column;
      const to = references ? byName.get(references.table) : undefined;
      if (!references || !to) return [];
      const isToSame = (other: Column): boolean =>
        other.references !== false && other.references?.table === to.name;
      const isOneOfSeveral = from.columns.filter(isToSame).length > 1;
      return [{ from, column, onDelete: references.onDelete, to, isOneOfSeveral }];
    }),
  );
}

/** `configTypeId` -> `configType` */
const referenceName = ({ name }: Column): string => name.replace(/Id$/, '');

/** The side of the table that refers to the other one. */
export function referenceField(relation: Relation): Field {
  const { from, column, onDelete, to } = relation;
  const settings = [
    ...namesOf(relation),
    `fields: [${column.name}]`,
    'references: [id]',
    `onDelete: ${upperFirst(onDelete)}`,
    'onUpdate: NoAction',
    `map: ${JSON.stringify(foreignKeyName(from, column))}`,
  ];
  const type = column.nullable === true ? `${to.model}?` : to.model;
  return [referenceName(column), type, `@relation(${settings.join(', ')})`];
}

/** The side of the table that it refers to. */
export function inverseField(relation: Relation): Field {
  const { from, column, isOneOfSeveral } = relation;
  const isOneToOne = from.key.length === 1 && from.key[0] === column.name;
  const one = lowerFirst(from.model);
  const name = isOneToOne ? one : pluralOf(one);
  const [relationName] = namesOf(relation);
  return [
    isOneOfSeveral ? `${name}By${upperFirst(referenceName(column))}` : name,
    isOneToOne ? `${from.model}?` : `${from.model}[]`,
    relationName === undefined ? '' : `@relation(${relationName})`,
  ];
}

/** Only relations between the same two tables need a name. */
const namesOf = ({ column, isOneOfSeveral }: Relation): string[] =>
  isOneOfSeveral ? [JSON.stringify(column.name)] : [];

const pluralOf = (name: string): string =>
  /[^aeiou]y$/.test(name) ? name.replace(/y$/, 'ies') : `${name}s`;
