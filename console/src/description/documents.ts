import type { Operation } from '../graph/operation.js';
import type { Kind } from './description.js';
import { hasName, labelFields, selectionOf, shownFields, type MayRead } from './fields.js';

/** Documents that follow from the description of a kind, in place of a file for each. */

/** An entity as its page or a row shows it. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

export interface RowsVariables {
  readonly filter: string | undefined;
  readonly sort: string | undefined;
  readonly first: number;
  readonly offset: number;
}

export interface RowsResult {
  readonly rows: { readonly totalCount: number; readonly nodes: readonly Row[] } | null;
}

const ROWS = '(filter: $filter, sort: $sort, first: $first, offset: $offset)';
const ROWS_VARIABLES = '$filter: String, $sort: String, $first: Int, $offset: Int';

const selectionOfRow = (kind: Kind, fields: readonly string[]): string => {
  const name = hasName(kind.type) ? ['name'] : [];
  const selections = [...new Set(['id', ...name, ...fields])].map((field) =>
    selectionOf(kind.type, field),
  );
  return `totalCount nodes { ${selections.join(' ')} }`;
};

/** Reads a part of the list of a kind. */
export const rowsOperation = (
  kind: Kind,
  fields: readonly string[],
): Operation<RowsResult, RowsVariables> => ({
  name: 'Rows',
  text: `query Rows(${ROWS_VARIABLES}) { rows: ${kind.list}${ROWS} { ${selectionOfRow(kind, fields)} } }`,
});

export interface OfferedVariables {
  readonly exact: string;
  readonly part: string | undefined;
  readonly first: number;
}

interface OfferedResult {
  readonly exact: { readonly nodes: readonly Row[] } | null;
  readonly rows: { readonly nodes: readonly Row[] } | null;
}

/** Reads what a name or an id means, and the first entities by a part of their name. */
export const offeredOperation = (kind: Kind): Operation<OfferedResult, OfferedVariables> => {
  const selections = labelFields(kind.type).map((field) => selectionOf(kind.type, field));
  const nodes = `{ nodes { ${selections.join(' ')} } }`;
  return {
    name: 'Offered',
    text: `query Offered($exact: String!, $part: String, $first: Int) { exact: ${kind.list}(filter: $exact, first: 2) ${nodes} rows: ${kind.list}(filter: $part, sort: "name", first: $first) ${nodes} }`,
  };
};

/** A condition that a name or an id fulfils. */
export const isCalled = (texts: readonly string[]): string => {
  const list = `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
  return `name in ${list} or id in ${list}`;
};

export interface RelatedVariables extends RowsVariables {
  readonly id: string;
}

export interface RelatedResult {
  readonly entity: RowsResult | null;
}

/** Reads a part of the entities that are related to one. */
export const relatedOperation = (
  owner: Kind,
  relation: string,
  kind: Kind,
  fields: readonly string[],
): Operation<RelatedResult, RelatedVariables> => ({
  name: 'Related',
  text: `query Related($id: ID!, ${ROWS_VARIABLES}) { entity: ${owner.one}(id: $id) { rows: ${relation}${ROWS} { ${selectionOfRow(kind, fields)} } } }`,
});

export interface EntityResult {
  readonly entity: Row | null;
}

/** Reads all members of an entity that its page shows. */
export function entityOperation(
  kind: Kind,
  mayRead: MayRead,
): Operation<EntityResult, { readonly id: string }> {
  const selections = shownFields(kind.type, mayRead).map(({ name }) =>
    selectionOf(kind.type, name),
  );
  return {
    name: 'Entity',
    text: `query Entity($id: ID!) { entity: ${kind.one}(id: $id) { ${selections.join(' ')} } }`,
  };
}

/** Reads the name of an entity, or another few of its members. */
export const membersOperation = (
  kind: Kind,
  names: readonly string[],
): Operation<EntityResult, { readonly id: string }> => ({
  name: 'Members',
  text: `query Members($id: ID!) { entity: ${kind.one}(id: $id) { ${['id', ...names].join(' ')} } }`,
});
