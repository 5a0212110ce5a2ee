export * as reviewLines from './review-lines.js';
export type {
  Decision,
  LineSelection,
  ReviewedPolicy,
  ReviewLine,
  StoredDecision,
} from './review-lines.js';
