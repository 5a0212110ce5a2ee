import type { Client } from '../client.js';
import { Refusal } from '../refusal.js';
import type { Step } from './story.js';

const APPLY = `mutation ($changes: [ModelChangeInput!]!, $reason: String!) {
  applyChanges(changes: $changes, reason: $reason) { entityId }
}`;
const MADE = `query ($reason: String!) {
  changes(where: { reason: { eq: $reason } }, first: 1) { nodes { reason } }
}`;

/** The sessions that make a step: that of its author, and that of the administrator, who reads the log. */
interface Makers {
  readonly author: Client;
  readonly admin: Client;
}

/**
 * Makes the changes of a step in one transaction. An interrupted run leaves its last step under way:
 * when this run has read the log before that commit, the step is refused and is in the log by then.
 */
export async function makeStep(
  { author, admin }: Makers,
  { changes, reason }: Step,
): Promise<void> {
  try {
    await author.run(APPLY, { changes, reason });
  } catch (error) {
    if (!(error instanceof Refusal) || !(await isMade(admin, reason))) throw error;
  }
}

async function isMade(admin: Client, reason: string): Promise<boolean> {
  const { changes } = await admin.run<{ changes: { nodes: unknown[] } }>(MADE, { reason });
  return changes.nodes.length > 0;
}
