import { failure } from '../../base/errors.js';
import { column, sql } from '../../base/sql.js';
import { attribute, int, oneOf, reference, text, time } from '../../kernel/declare/attribute.js';
import type { ValueOf } from '../../kernel/declare/attribute.js';
import { ACCESS_TYPE, resource, type Write } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { NamedEntity } from '../entity.js';

const STATE = oneOf(
  'AccessReviewState',
  {
    OPEN: 'Its lines are being decided.',
    FINISHED: 'Every line is decided, and nothing of it changes any more.',
  },
  'Whether a review can still be changed.',
);

const MAX_DESCRIPTION_LENGTH = 1_000;
const MAX_FILTER_LENGTH = 4_000;

/** Name, description and tags of a review, too, are evidence once it is finished. */
function refuseFinished({ current }: Write<'AccessReview'>): void {
  if (current.state === 'FINISHED') {
    throw failure('ENTITY_CAN_NOT_BE_UPDATED', 'the review is finished');
  }
}

@resource({
  description:
    'A review of access: the pairs of an identity and a service that policies granted when it began, each with a place for a decision. Its lines keep the names of that time.',
  plural: 'AccessReviews',
  path: 'access-reviews',
  permission: 'access-review',
  verbs: ['update', 'delete'],
  isRecord: true,
  hooks: { validate: refuseFinished },
})
export class AccessReview extends NamedEntity {
  @attribute(text({ max: MAX_DESCRIPTION_LENGTH }), {
    description: 'The purpose of the review.',
    nullable: true,
    filter: true,
  })
  description!: string | null;

  @attribute(ACCESS_TYPE, {
    description: 'The kind of access under review; null: both.',
    write: 'create',
    nullable: true,
    filter: true,
  })
  type!: ValueOf<typeof ACCESS_TYPE> | null;

  @attribute(text({ max: MAX_FILTER_LENGTH }), {
    description: 'The condition that chose the identities, in the filter language; null: all.',
    write: 'create',
    nullable: true,
  })
  identityFilter!: string | null;

  @attribute(text({ max: MAX_FILTER_LENGTH }), {
    description: 'The condition that chose the services; null: all.',
    write: 'create',
    nullable: true,
  })
  serviceFilter!: string | null;

  @attribute(STATE, {
    description: 'Whether it can still be changed.',
    write: 'create',
    default: 'OPEN',
    filter: true,
  })
  state!: ValueOf<typeof STATE>;

  @attribute(time(), {
    description: 'When it was finished; null while it is open.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  finishedAt!: Date | null;

  @attribute(reference('Identity', { as: 'finishedBy', onDelete: 'keep' }), {
    description: 'Id of the identity that finished it.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  finishedById!: string | null;

  @attribute(time(), {
    description:
      'The time since when uses were recorded as it began: a line without `lastUsedAt` was not used since.',
    write: 'create',
    required: true,
  })
  usesRecordedSince!: Date;

  @attribute(int(), {
    description: 'Number of its lines.',
    write: 'create',
    required: true,
    filter: true,
  })
  lineCount!: number;

  @attribute(int(), {
    description: 'Number of lines without a decision.',
    write: 'never',
    filter: true,
    sql: (alias) =>
      sql`(${column(alias, 'line_count')} - ${column(alias, 'keep_count')} - ${column(alias, 'revoke_count')})`,
  })
  undecidedCount!: Computed<number>;

  @attribute(int(), {
    description: 'Number of lines whose access is to stay.',
    write: 'create',
    default: 0,
    filter: true,
  })
  keepCount!: number;

  @attribute(int(), {
    description: 'Number of lines whose access is to be taken away.',
    write: 'create',
    default: 0,
    filter: true,
  })
  revokeCount!: number;
}
