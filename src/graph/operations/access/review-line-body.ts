import type { Columns } from '../../../kernel/graph/rest-operation.js';

/** The REST view of a line of a review. */

export const LINE = `identityId identityName serviceId serviceName type policies { policyId policyName }
  lastUsedAt decision comment decidedById decidedByName decidedAt`;

interface SelectedLine {
  readonly policies: readonly { readonly policyId: string; readonly policyName: string }[];
}

export const LINE_COLUMNS: Columns = {
  identityId: 'identityId',
  identity: 'identityName',
  serviceId: 'serviceId',
  service: 'serviceName',
  type: 'type',
  policyIds: ({ policies }: SelectedLine) => policies.map((p) => p.policyId).join(' '),
  policies: ({ policies }: SelectedLine) => policies.map((p) => p.policyName).join('; '),
  lastUsedAt: 'lastUsedAt',
  decision: 'decision',
  comment: 'comment',
  decidedById: 'decidedById',
  decidedBy: 'decidedByName',
  decidedAt: 'decidedAt',
};
