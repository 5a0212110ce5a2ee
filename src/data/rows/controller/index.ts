export * as controllers from './controllers.js';
export type { Vitals } from './controllers.js';
