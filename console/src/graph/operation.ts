export type { Operation } from '../emitted/operations.js';
