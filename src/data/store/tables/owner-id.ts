import { columnOfType, type NamelessColumn } from '../../../kernel/declare/table.js';

/** The id of the owner in another table; a row is deleted with its owner. */
export const ownerId = (table: string): NamelessColumn =>
  columnOfType('text', { references: { table, onDelete: 'cascade' } });
