import {
  ReviewLines,
  type DecideReviewVariables,
  type ReviewLinesResult,
} from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import type { RowsPart } from '../../graph/use-rows.js';

export type Line = NonNullable<ReviewLinesResult['accessReviewLines']>['nodes'][number];
export type Decision = Line['decision'];

/** The members of a decision beside it; the line keeps the comment that is absent. */
export type DecisionMembers = Pick<
  DecideReviewVariables['decisions'][number],
  'comment' | 'renewUntil' | 'endsAssignments'
>;

export interface LinesWanted {
  readonly id: string;
  readonly decision?: Decision | undefined;
}

/** Reads a part of the lines of a review. */
export async function readLines(
  wanted: LinesWanted,
  { offset, first, signal }: { offset: number; first: number; signal?: AbortSignal },
): Promise<RowsPart<Line>> {
  const options = signal ? { signal } : {};
  const { accessReviewLines } = await ask(ReviewLines, { ...wanted, first, offset }, options);
  return accessReviewLines ?? { totalCount: 0, nodes: [] };
}

const MAX_IN_A_PAGE = 500;

/** Gives all lines of a review, page by page. */
export async function* allLines(wanted: LinesWanted): AsyncGenerator<readonly Line[]> {
  let after: string | undefined;
  for (;;) {
    const variables = { ...wanted, first: MAX_IN_A_PAGE, after };
    const { accessReviewLines } = await ask(ReviewLines, variables);
    if (!accessReviewLines) return;
    yield accessReviewLines.nodes;
    const { hasNextPage, endCursor } = accessReviewLines.pageInfo;
    if (!hasNextPage || endCursor === null) return;
    after = endCursor;
  }
}
