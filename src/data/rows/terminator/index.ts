export * as terminatorCosts from './terminator-cost-rows.js';
export type { StoredCost } from './terminator-cost-rows.js';
export * as sessionFacts from './session-fact-rows.js';
export type {
  BindFacts,
  DialedTerminator,
  DialFacts,
  PresentedToken,
  ProvedClient,
  StoredPeerData,
} from './session-fact-rows.js';
export * as terminators from './terminator-rows.js';
export type {
  HostedBinding,
  HostedTerminator,
  Precedence,
  StoredTerminator,
  TerminatorCount,
} from './terminator-rows.js';
