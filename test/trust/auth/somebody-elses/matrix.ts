import type { Net } from './net.js';

/*
 * The proofs that the product knows, and the doors at which they are presented. A proof counts only
 * for the one whose it is: each row of the other files presents a valid one of somebody else first.
 */

/** A door of single requests. */
export type RequestDoor = 'client REST' | 'management REST' | 'GraphQL';

export type Door =
  RequestDoor | 'WebSocket' | 'event stream' | 'management channel' | 'control channel';

const LOGIN: readonly RequestDoor[] = ['client REST', 'management REST', 'GraphQL'];
const ENROLLMENT: readonly RequestDoor[] = ['client REST', 'GraphQL'];

export const MATRIX = {
  password: LOGIN,
  certificate: LOGIN,
  JWT: LOGIN,
  'JWT as a second factor': [...LOGIN, 'WebSocket', 'event stream', 'management channel'],
  'one-time code': LOGIN,
  'recovery code': LOGIN,
  'session certificate': [...LOGIN, 'control channel'],
  'certificate of an authority': LOGIN,
  'certificate of a router': [...ENROLLMENT, 'control channel'],
  'token of an enrollment': ENROLLMENT,
  'token of a session for a service': ['control channel'],
  'key of a challenge': ENROLLMENT,
  'signature of a certificate request': [...LOGIN, 'control channel'],
  'If-Match': ['client REST', 'management REST'],
} as const satisfies Readonly<Record<string, readonly Door[]>>;

export type Proof = keyof typeof MATRIX;

/** The proofs that log in, by the method that the interfaces name. */
export const LOGIN_METHODS: Readonly<Record<string, Proof>> = {
  password: 'password',
  cert: 'certificate',
  'ext-jwt': 'JWT',
};

export type Whose = 'own' | 'of somebody else';

/** What a proof leads to: `COUNTS`, or the refusal as its door shows it. */
export type Outcome = string;

export const COUNTS: Outcome = 'counts';

/** A proof at one place of one door. */
export interface Attempt {
  readonly proof: Proof;
  readonly door: Door;
  /** Where it is presented, and what the one of somebody else is. */
  readonly at: string;
  /** The refusal of the one of somebody else. */
  readonly refusal: Outcome;
  /** Sets the scene once; the result presents one of the two proofs. */
  readonly prepare: (net: Net) => Promise<(whose: Whose) => Promise<Outcome>>;
}

/** The same attempt at several doors. */
export const atDoors = <D extends Door>(
  doors: readonly D[],
  attemptAt: (door: D) => Attempt | readonly Attempt[],
): Attempt[] => doors.flatMap(attemptAt);
