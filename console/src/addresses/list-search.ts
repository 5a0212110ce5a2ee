import { textOf } from './address-values.js';

/** The settings in the address of a list, beside its kind. */
export interface ListSearch {
  /** In the filter language of the controller. */
  readonly filter?: string | undefined;
  /** `name desc`. */
  readonly sort?: string | undefined;
  /** Names of fields, with commas between. */
  readonly columns?: string | undefined;
}

export const listSearch = ({
  filter,
  sort,
  columns,
}: Readonly<Record<string, unknown>>): ListSearch => ({
  filter: textOf(filter),
  sort: textOf(sort),
  columns: textOf(columns),
});
