/** What the address of a list says beside its kind. */
export interface ListSearch {
  /** In the filter language of the controller. */
  readonly filter?: string | undefined;
  /** `name desc`. */
  readonly sort?: string | undefined;
  /** Names of fields, with commas between. */
  readonly columns?: string | undefined;
}

/** A text of the address; anything else there counts as absent. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const listSearch = ({
  filter,
  sort,
  columns,
}: Readonly<Record<string, unknown>>): ListSearch => ({
  filter: textOf(filter),
  sort: textOf(sort),
  columns: textOf(columns),
});
