export { decideReview, finishReview, type LineDecision } from './decide-review.js';
export { MAX_LINES, startReview, type NewReview } from './start-review.js';
