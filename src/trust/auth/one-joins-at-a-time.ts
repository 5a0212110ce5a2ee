import { lockUntilCommit } from '../../base/advisory-lock.js';
import type { Transaction } from '../../kernel/request/store-port.js';

/** An arbitrary number for a lock of its own. */
const JOINING = 4_021_978;

/** Identities join one at a time, at all controllers, unless a token is for one of them: two could be the same one. */
export async function oneJoinsAtATime(tx: Transaction): Promise<void> {
  await lockUntilCommit(tx, JOINING);
}
