import { accessRequests } from '../../data/rows/access-request/index.js';
import { FALSE, or } from '../../base/sql.js';
import {
  attribute,
  bool,
  int,
  oneOf,
  reference,
  text,
  time,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import { resource } from '../../kernel/declare/resource.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { Entity } from '../entity.js';
import { isOfCaller } from '../own-rows.js';
import { OFFER_APPROVAL, OFFER_SECOND_FACTOR } from './access-offer.js';

const DECISIONS = {
  OPEN: 'Nobody has decided yet.',
  GRANTED: 'The identity has the role attribute.',
  DENIED: 'An approver has refused it.',
  CANCELLED: 'The requester has taken it back, or its offer or the requester was deleted.',
  REVOKED: 'Somebody has ended the grant before its time.',
} as const;

const DECISION = oneOf('AccessRequestDecision', DECISIONS, 'The last decision about a request.');

const STATE = oneOf(
  'AccessRequestState',
  { ...DECISIONS, ENDED: 'The time of the grant is over.' },
  'The state of a request for access.',
);

const deciderOf = ({ caller }: RequestContext) => ({
  identityId: caller?.identityId ?? '',
  isAdmin: caller?.isAdmin === true,
});

const mayDecide = computeFrom<'AccessRequest'>()([], async (rows, ctx) => {
  const ids = rows.map(({ id }) => id);
  const open = await accessRequests.awaiting(ctx.store, ids, deciderOf(ctx));
  return ids.map((id) => open.has(id));
});

@resource({
  description:
    'A request of an identity for the role attribute of an access offer, with its decision. Its grant is a role assignment.',
  plural: 'AccessRequests',
  path: 'access-requests',
  permission: 'admin',
  verbs: [],
  isRecord: true,
  visible: (ctx, alias) =>
    ctx.caller
      ? or(isOfCaller(ctx, alias), accessRequests.isDecidedBy(alias, ctx.caller.identityId))
      : FALSE,
  storage: {
    indexes: [
      { on: ['identityId', 'offerId'] },
      {
        name: 'access_request_unreviewed_idx',
        on: ['id'],
        where: `"approval" = 'BREAK_GLASS' and "reviewed_at" is null`,
      },
      { name: 'access_request_open_idx', on: ['offerId'], where: `"decision" = 'OPEN'` },
    ],
  },
})
export class AccessRequest extends Entity {
  @attribute(reference('AccessOffer', { as: 'offer', onDelete: 'keep' }), {
    description: 'Id of the offer.',
    write: 'never',
    filter: 'offer',
  })
  offerId!: string;

  @attribute(text(), {
    description: 'The name of the offer when the identity asked.',
    write: 'never',
    filter: true,
  })
  offerName!: string;

  @attribute(reference('Identity', { onDelete: 'keep' }), {
    description: 'Id of the identity that asked.',
    write: 'never',
    column: { index: false },
    filter: 'identity',
  })
  identityId!: string;

  @attribute(text(), {
    description: 'Its name when it asked.',
    write: 'never',
    filter: true,
  })
  identityName!: string;

  @attribute(text(), {
    description: 'The role attribute that it asked for.',
    write: 'never',
    filter: true,
  })
  roleAttribute!: string;

  @attribute(OFFER_APPROVAL, {
    description: 'How the offer granted requests when the identity asked.',
    write: 'never',
    filter: true,
  })
  approval!: ValueOf<typeof OFFER_APPROVAL>;

  @attribute(OFFER_SECOND_FACTOR, {
    description: 'The second factor of the session that asked, as far as the offer required one.',
    write: 'never',
    filter: true,
  })
  secondFactor!: ValueOf<typeof OFFER_SECOND_FACTOR>;

  @attribute(text(), {
    description: 'The reason of the requester.',
    write: 'never',
    filter: true,
  })
  reason!: string;

  @attribute(int(), {
    description: 'The duration that it asked for, in minutes.',
    write: 'never',
    filter: true,
  })
  requestedMinutes!: number;

  @attribute(int(), {
    description: 'The duration that it got, in minutes; null without a grant.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  grantedMinutes!: number | null;

  @attribute(time(), {
    description: 'When the grant ends by itself; null without a grant.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  grantedUntil!: Date | null;

  @attribute(DECISION, {
    description: 'The last decision.',
    write: 'never',
    hidden: true,
  })
  decision!: ValueOf<typeof DECISION>;

  @attribute(STATE, {
    description: 'Its state.',
    write: 'never',
    filter: true,
    sql: accessRequests.stateSql,
  })
  state!: Computed<ValueOf<typeof STATE>>;

  @attribute(reference('Identity', { as: 'decidedBy', onDelete: 'keep' }), {
    description: 'Id of the identity that approved or denied it; null if it was granted at once.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  decidedById!: string | null;

  @attribute(text(), {
    description: 'Its name of that time.',
    write: 'never',
    nullable: true,
  })
  decidedByName!: string | null;

  @attribute(time(), {
    description: 'When it was granted or denied.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  decidedAt!: Date | null;

  @attribute(text(), {
    description: 'The comment on the last decision.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  comment!: string | null;

  @attribute(reference('Identity', { as: 'endedBy', onDelete: 'keep' }), {
    description: 'Id of the identity that cancelled the request or revoked the grant.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  endedById!: string | null;

  @attribute(time(), {
    description: 'When it was cancelled or revoked.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  endedAt!: Date | null;

  @attribute(reference('Identity', { as: 'reviewedBy', onDelete: 'keep' }), {
    description: 'Id of the administrator who has reviewed the use of an offer for emergencies.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  reviewedById!: string | null;

  @attribute(time(), {
    description: 'When it was reviewed; null: not yet, or there is nothing to review.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  reviewedAt!: Date | null;

  @attribute(bool(), {
    description:
      'Whether it waits for a decision that the caller may make; false for own requests.',
    write: 'never',
    compute: mayDecide,
    graphFilter: (alias, ctx) => accessRequests.awaits(alias, deciderOf(ctx)),
  })
  mayDecide!: Computed<boolean>;
}
