export * as reviewLines from './review-line-rows.js';
export type {
  Decision,
  LineSelection,
  ReviewedPolicy,
  ReviewLine,
  StoredDecision,
} from './review-line-rows.js';
