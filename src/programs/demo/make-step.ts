import { setTimeout as delay } from 'node:timers/promises';
import { MadeStep, MakeStep } from '../emitted/operations.js';
import type { Client } from '../cli/client.js';
import { Refusal } from '../cli/refusal.js';
import type { Step } from './story.js';

/** The sessions that make a step: that of its author, and that of the administrator, who reads the log. */
interface Makers {
  readonly author: Client;
  readonly admin: Client;
}

/** The log tells a change once all older transactions of the server have ended, which last ten seconds at most. */
const LOG_MILLIS = 15_000;
const PAUSE_MILLIS = 250;

/**
 * Makes the changes of a step in one transaction. An interrupted run leaves its last step under way:
 * when this run has read the log before that commit, the step is refused and is in the log soon.
 */
export async function makeStep(
  { author, admin }: Makers,
  { changes, reason }: Step,
  logMillis = LOG_MILLIS,
): Promise<void> {
  try {
    await author.run(MakeStep, { changes, reason });
  } catch (error) {
    if (!(error instanceof Refusal) || !(await isMade(admin, reason, logMillis))) throw error;
  }
}

async function isMade(admin: Client, reason: string, logMillis: number): Promise<boolean> {
  const end = performance.now() + logMillis;
  for (;;) {
    const { changes } = await admin.run(MadeStep, { reason });
    if (changes.nodes.length > 0) return true;
    if (performance.now() >= end) return false;
    await delay(PAUSE_MILLIS);
  }
}
