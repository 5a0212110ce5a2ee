import type { Column } from '../../../kernel/graph/rest-operation.js';

/** The REST view of a line of a review. */

export const LINE = `identityId identityName serviceId serviceName type policies { policyId policyName }
  lastUsedAt decision comment decidedById decidedByName decidedAt`;

interface SelectedLine {
  readonly identityId: string;
  readonly identityName: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly type: string;
  readonly policies: readonly { readonly policyId: string; readonly policyName: string }[];
  readonly lastUsedAt: string | null;
  readonly decision: string;
  readonly comment: string | null;
  readonly decidedById: string | null;
  readonly decidedByName: string | null;
  readonly decidedAt: string | null;
}

export const LINE_COLUMNS: readonly Column[] = [
  ['identityId', ({ identityId }: SelectedLine) => identityId],
  ['identity', ({ identityName }: SelectedLine) => identityName],
  ['serviceId', ({ serviceId }: SelectedLine) => serviceId],
  ['service', ({ serviceName }: SelectedLine) => serviceName],
  ['type', ({ type }: SelectedLine) => type],
  ['policyIds', ({ policies }: SelectedLine) => policies.map((p) => p.policyId).join(' ')],
  ['policies', ({ policies }: SelectedLine) => policies.map((p) => p.policyName).join('; ')],
  ['lastUsedAt', ({ lastUsedAt }: SelectedLine) => lastUsedAt ?? ''],
  ['decision', ({ decision }: SelectedLine) => decision],
  ['comment', ({ comment }: SelectedLine) => comment ?? ''],
  ['decidedById', ({ decidedById }: SelectedLine) => decidedById ?? ''],
  ['decidedBy', ({ decidedByName }: SelectedLine) => decidedByName ?? ''],
  ['decidedAt', ({ decidedAt }: SelectedLine) => decidedAt ?? ''],
];
