export * as inspections from './inspections.js';
export type { Question } from './inspections.js';
