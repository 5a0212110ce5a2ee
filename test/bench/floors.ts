import { READS, SESSION_BY_TOKEN, type Floor } from './reads.js';
import { OPEN_SESSION, SERVICE_READS, SUBMIT_POSTURE } from './service-reads.js';

/** What the floor answers, each under its place in the list. */
export const FLOORS: readonly Floor[] = [
  ...READS,
  SESSION_BY_TOKEN,
  ...SERVICE_READS,
  OPEN_SESSION,
  SUBMIT_POSTURE,
];
