import { expect } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import type { RequestContext } from '../../src/kernel/request/context.js';
import type { InProcess } from '../support/in-process.js';

/** Searches of a test. */

export interface Hit {
  readonly type: string;
  readonly entityId: string;
  readonly name: string | null;
  readonly matchedBy: string;
  readonly matchedText: string;
  readonly tag: string | null;
}

export interface Found {
  readonly nodes: readonly Hit[];
  readonly edges: readonly { readonly cursor: string }[];
  readonly totalCount: number;
  readonly isTotalExact: boolean;
  readonly pageInfo: Row;
}

export const HIT = 'type entityId name matchedBy matchedText tag';
export const SEARCH = `query ($text: String!, $types: [String!], $first: Int, $after: String, $offset: Int, $limit: Int) {
  search(text: $text, types: $types, first: $first, after: $after, offset: $offset, limit: $limit) {
    totalCount isTotalExact nodes { ${HIT} } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor } } }`;

export class Searches {
  /** The controller is there once the test has begun. */
  constructor(private readonly controller: () => InProcess) {}

  readonly find = async (text: string, variables: Row = {}, ctx?: RequestContext): Promise<Found> =>
    (await this.controller().read<{ search: Found }>(SEARCH, { text, ...variables }, ctx)).search;

  readonly namesBy = async (
    text: string,
    variables: Row = {},
    ctx?: RequestContext,
  ): Promise<(string | null)[]> =>
    (await this.find(text, variables, ctx)).nodes.map(({ name }) => name);

  /** The code of the refusal, with its field if it is about one. */
  readonly refusalOf = async (
    text: string,
    variables: Row = {},
    ctx?: RequestContext,
  ): Promise<unknown> => {
    const { data, errors } = await this.controller().graph(SEARCH, { text, ...variables }, ctx);
    expect(data?.search ?? null).toBeNull();
    const [error] = errors;
    return error?.detail?.kind === 'field' ? [error.code, error.detail.field] : error?.code;
  };
}
