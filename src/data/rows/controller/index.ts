export * as controllers from './controller-rows.js';
export type { Vitals } from './controller-rows.js';
