import { columnOfType as column, table } from '../../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables of reviews of access beside the reviews themselves. */
export const reviewTables = [
  table(
    'access_review_line',
    'The access under review. Names are those of the time when the review began, and the ids refer to nothing: a finished review stays readable when the entities are gone.',
    {
      reviewId: ownerId('access_review'),
      identityId: column('text'),
      serviceId: column('text'),
      type: column('text'),
      identityName: column('text'),
      serviceName: column('text'),
      /** The policies that granted it: their ids and names. */
      policies: column('json'),
      lastUsedAt: column('time', { nullable: true }),
      decision: column('text', { default: 'UNDECIDED' }),
      comment: column('text', { nullable: true }),
      assignmentsUntil: column('time', { nullable: true }),
      decidedById: column('text', { nullable: true }),
      decidedByName: column('text', { nullable: true }),
      decidedAt: column('time', { nullable: true }),
    },
    { key: ['reviewId', 'identityId', 'serviceId', 'type'] },
  ),
];
