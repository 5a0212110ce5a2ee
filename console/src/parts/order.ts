import type { Kind } from '../description/description.js';
import type { Order } from './long-table.js';

/** An order as the filter language and the address have it: `name desc`. */
export const textOfOrder = ({ name, isDescending }: Order): string =>
  isDescending ? `${name} desc` : name;

/** The order of a list whose address names none: by name, where there are names. */
export const firstOrder = (kind: Kind): Order | undefined =>
  kind.orderFields.includes('name') ? { name: 'name', isDescending: false } : undefined;

export function orderOfText(text: string | undefined): Order | undefined {
  if (text === undefined) return undefined;
  const [name = '', direction] = text.trim().split(/\s+/);
  return name === '' ? undefined : { name, isDescending: direction?.toLowerCase() === 'desc' };
}
