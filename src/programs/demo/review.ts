import type { Client } from '../cli/client.js';

const NAME = 'Finance in autumn';
const PRESENT =
  'query ($name: String!) { accessReviews(where: { name: { eq: $name } }, first: 1) { totalCount } }';
const START = `mutation ($name: String!, $serviceFilter: String!) {
  startAccessReview(name: $name, serviceFilter: $serviceFilter, type: Dial,
    description: "Who reaches finance, and who still has to?") {
    id lines(first: 100) { nodes { identityId serviceId type policies { policyName } } }
  }
}`;
const DECIDE = `mutation ($id: ID!, $decisions: [LineDecisionInput!]!) {
  decideAccessReview(id: $id, decisions: $decisions) { id }
}`;

interface Review {
  readonly id: string;
  readonly lines: {
    readonly nodes: readonly {
      readonly identityId: string;
      readonly serviceId: string;
      readonly type: string;
      readonly policies: readonly { readonly policyName: string }[];
    }[];
  };
}

/** Begins a review of the access to finance, of which some lines are decided. */
export async function beginReview(admin: Client): Promise<void> {
  const { accessReviews } = await admin.run<{ accessReviews: { totalCount: number } }>(PRESENT, {
    name: NAME,
  });
  if (accessReviews.totalCount > 0) return;
  const { startAccessReview } = await admin.run<{ startAccessReview: Review }>(START, {
    name: NAME,
    serviceFilter: 'anyOf(roleAttributes) = "finance"',
  });
  const decisions = startAccessReview.lines.nodes.map(
    ({ identityId, serviceId, type, policies }) =>
      policies.some(({ policyName }) => policyName === 'Finance')
        ? { identityId, serviceId, type, decision: 'KEEP' }
        : { identityId, serviceId, type, decision: 'REVOKE', comment: 'needed until January' },
  );
  await admin.run(DECIDE, { id: startAccessReview.id, decisions });
}
