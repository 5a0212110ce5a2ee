import type { RestRequest } from '../engine/rest-row.js';

export { STRING } from '../../src/kernel/declare/rest-schema.js';

/** Parts that several hand-written rows use. */

type ById = {
  readonly id: string | undefined;
};

export const byId = ({ path }: RestRequest): ById => ({ id: path.id });

/** The selected fields of an entity after a write. */
export interface Written {
  readonly id: string;
}
