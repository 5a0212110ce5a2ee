import { columnOfType, type NamelessColumn } from '../../kernel/declare/table.js';

/** The id of the row of another table that a row belongs to, and ends with. */
export const ownerId = (table: string): NamelessColumn =>
  columnOfType('text', { references: { table, onDelete: 'cascade' } });
