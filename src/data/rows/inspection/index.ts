export * as inspections from './inspection-rows.js';
export type { NodeQuestion, Question, Validation } from './inspection-rows.js';
