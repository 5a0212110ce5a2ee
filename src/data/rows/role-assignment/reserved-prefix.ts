/** The beginning of role attributes that one source alone writes. */
export type ReservedPrefix = {
  readonly prefix: string;
  /** The source of role assignments that owns it. */
  readonly source: string;
  /** Names the owner in errors. */
  readonly ownerName: string;
};
