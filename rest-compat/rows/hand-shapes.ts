import type { RestRequest } from '../engine/rest-row.js';

export { STRING } from '../../src/kernel/declare/rest-schema.js';

/** What rows that are declared by hand share. */

type ById = {
  readonly id: string | undefined;
};

export const byId = ({ path }: RestRequest): ById => ({ id: path.id });

/** What writes give of the entity that they made or changed. */
export interface Written {
  readonly id: string;
}
