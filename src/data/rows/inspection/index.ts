export * as inspections from './inspection-rows.js';
export type { Question } from './inspection-rows.js';
