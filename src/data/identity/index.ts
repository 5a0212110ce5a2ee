export * as secondFactors from './second-factors.js';
export type { SecondFactor } from './second-factors.js';
