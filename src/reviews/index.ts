export {
  countLines,
  nextLines,
  revokedPairs,
  type Decision,
  type LineSelection,
  type ReviewedPolicy,
  type ReviewLine,
} from './access-review-line-table.js';
export { decideReview, finishReview, type LineDecision } from './decide-review.js';
export { MOST_LINES, startReview, type NewReview } from './start-review.js';
