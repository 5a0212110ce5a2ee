import type { Interface, RestRequest, Schema } from '../engine/rest-row.js';

/** What rows that are declared by hand share. */

export const BOTH: readonly Interface[] = ['client', 'management'];
export const STRING: Schema = { type: 'string' };
export const TIME: Schema = { type: 'string', format: 'date-time' };

export const objectOf = (
  properties: Record<string, Schema>,
  required = Object.keys(properties),
): Schema => ({
  type: 'object',
  ...(required.length > 0 ? { required } : {}),
  properties,
});

/** What the graph gives is the body. */
export const asItIs = (result: unknown): unknown => result;

type ById = {
  readonly id: string | undefined;
};

export const byId = ({ path }: RestRequest): ById => ({ id: path.id });

/** What writes give of the entity that they made or changed. */
export interface Written {
  readonly id: string;
}
