import type { TerminatorPrecedence } from '../messages/index.js';

/** The precedences of terminators: in the graph, and in messages of routers. */
const PRECEDENCES = {
  default: 'Default',
  required: 'Required',
  failed: 'Failed',
} as const satisfies Record<string, TerminatorPrecedence>;

export type Precedence = keyof typeof PRECEDENCES;

/** Gives a precedence of the graph for routers. */
export const precedenceOfRouters = (precedence: Precedence): TerminatorPrecedence =>
  PRECEDENCES[precedence];

/** Gives a precedence from a router in the graph: its name in lower case. */
export const precedenceInGraph = (precedence: TerminatorPrecedence): Precedence =>
  precedence.toLowerCase() as Lowercase<TerminatorPrecedence>;
