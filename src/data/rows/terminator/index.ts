export * as terminatorCosts from './costs.js';
export type { StoredCost } from './costs.js';
export * as sessionFacts from './session-facts.js';
export type {
  BindFacts,
  DialedTerminator,
  DialFacts,
  PresentedToken,
  ProvedClient,
  StoredPeerData,
} from './session-facts.js';
export * as terminators from './terminators.js';
export type {
  HostedBinding,
  HostedTerminator,
  Precedence,
  StoredTerminator,
  TerminatorCount,
} from './terminators.js';
