import {
  DecideReview,
  PresentReview,
  StartReview,
  type LineDecisionInput,
} from '../emitted/operations.js';
import type { Client } from '../cli/client.js';

const NAME = 'Finance in autumn';

/** Begins a review of the access to finance, of which some lines are decided. */
export async function beginReview(admin: Client): Promise<void> {
  const { accessReviews } = await admin.run(PresentReview, { name: NAME });
  if (accessReviews.totalCount > 0) return;
  const { startAccessReview } = await admin.run(StartReview, {
    name: NAME,
    serviceFilter: 'anyOf(roleAttributes) = "finance"',
  });
  const decisions = startAccessReview.lines.nodes.map(
    ({ identityId, serviceId, type, policies }): LineDecisionInput =>
      policies.some(({ policyName }) => policyName === 'Finance')
        ? { identityId, serviceId, type, decision: 'KEEP' }
        : { identityId, serviceId, type, decision: 'REVOKE', comment: 'needed until January' },
  );
  await admin.run(DecideReview, { id: startAccessReview.id, decisions });
}
