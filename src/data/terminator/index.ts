export * as terminatorCosts from './costs.js';
export type { StoredCost } from './costs.js';
export * as terminators from './terminators.js';
export type {
  HostedBinding,
  HostedTerminator,
  Precedence,
  StoredTerminator,
  TerminatorCount,
} from './terminators.js';
