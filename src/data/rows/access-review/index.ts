export { AccessReviewLine, DECISION, ReviewedPolicy, type Decision } from './review-line.js';
export * as reviewLines from './review-line-rows.js';
export type { DecidedLine, LineSelection, StoredDecision } from './review-line-rows.js';
