import type { Row } from '../../src/base/row.js';
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

export const byId = ({ path }: RestRequest): Row => ({ id: path.id });
