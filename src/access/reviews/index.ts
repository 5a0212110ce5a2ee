export { decideReview, finishReview, type LineDecision } from './decide-review.js';
export { MOST_LINES, startReview, type NewReview } from './start-review.js';
