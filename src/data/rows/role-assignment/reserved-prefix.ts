import { isOneOf, raw, type Sql } from '../../../base/sql.js';

/** The beginning of role attributes that one source alone writes. */
export type ReservedPrefix = {
  readonly prefix: string;
  /** The source of role assignments that owns it. */
  readonly source: string;
  /** Names the owner in errors. */
  readonly ownerName: string;
};

/** A row of a source with a prefix. */
export type PrefixOwner = { readonly id: string; readonly name: string; readonly prefix: string };

/** The columns of an owner. */
export const COLUMNS = raw('id, name, role_attribute_prefix as prefix');

/**
 * Whether the source of a row owns one of the prefixes. An identity may have more of them than a statement of a model
 * has parameters, and each number of them would be another plan.
 */
export const ownsOneOf = (prefixes: readonly string[]): Sql =>
  isOneOf(raw('role_attribute_prefix'), prefixes);

/** The prefixes of sources of one kind. */
export const reservedBy = (
  owners: readonly PrefixOwner[],
  kind: string,
  sourceOf: (id: string) => string,
): ReservedPrefix[] =>
  owners.map(({ id, name, prefix }) => ({
    prefix,
    source: sourceOf(id),
    ownerName: `${kind} ${name}`,
  }));
