import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { RemainingAccess } from '../../../access/analysis/index.js';
import { object, objects } from '../../../kernel/declare/attribute.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { RowOf } from '../../../kernel/declare/rows.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { RestMember } from '../../../kernel/graph/rest-member.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import type { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { AccessReview } from '../../../resources/policies/access-review.js';
import type { PairArguments } from '../../analysis/access-list.js';
import { permitLines } from '../../analysis/review-lines.js';
import { AccessConnection, PairListArgs } from './accesses-types.js';
import { FIRST } from './first-entries.js';
import {
  AccessReviewRevocation,
  collateralPage,
  KeepingPolicy,
  RemainingAccessConnection,
  remainingPage,
  reviewRevocation,
  warningOf,
} from './review-revocation.js';

@Resolver(() => AccessReview)
export class AccessReviewRevocationResolver {
  @Rest({
    method: 'GET',
    path: '/access-reviews/{id}/revocation',
    operationId: 'getAccessReviewRevocation',
    selectionArguments: FIRST,
  })
  @Needs(may('access-review', 'read'))
  @Runs({ lane: 'background', isLong: true })
  @FieldResolver(outputType(object(() => AccessReviewRevocation)), {
    description:
      'The changes that take the access of its revoked lines away in the present network. Lines whose access is gone need none.',
  })
  revocation(
    @Root() { id }: Pick<RowOf<'AccessReview'>, 'id'>,
    @Ctx() ctx: RequestContext,
  ): Promise<AccessReviewRevocation> {
    permitLines(ctx);
    return reviewRevocation(ctx, id);
  }
}

@Resolver(() => AccessReviewRevocation)
export class RevocationMemberResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Why the changes do not take away exactly the revoked pairs; null if they do.',
  })
  warning(@Root() revocation: AccessReviewRevocation): string | null {
    return warningOf(revocation);
  }
  @Needs(may('identity', 'read'))
  @RestMember({
    select: 'totalCount nodes { identityId identityName serviceId serviceName type lastUsedAt }',
  })
  @FieldResolver(() => AccessConnection, {
    description:
      'The pairs that would lose access without being revoked, because their policies grant them together with revoked ones.',
  })
  collateral(
    @Root() revocation: AccessReviewRevocation,
    @Args(() => PairListArgs) args: PairArguments,
  ): Promise<Page> {
    return collateralPage(revocation, args);
  }

  @Needs(may('identity', 'read'))
  @RestMember({
    select:
      'totalCount nodes { identityId identityName serviceId serviceName type policies { policyId policyName } }',
  })
  @FieldResolver(() => RemainingAccessConnection, {
    description:
      'The revoked pairs that keep their access: a policy has the role `#all`, or would need more than 50 ids in place of its roles. No policy is edited for them.',
  })
  remaining(
    @Root() revocation: AccessReviewRevocation,
    @Args(() => PairListArgs) args: PairArguments,
  ): Page {
    return remainingPage(revocation, args);
  }
}

@Resolver(() => RemainingAccess)
export class RemainingAccessResolver {
  @Needs(may('service-policy', 'read'))
  @FieldResolver(outputType(objects(() => KeepingPolicy)), {
    description: 'The policies that keep granting it.',
  })
  policies(@Root() { policyIds }: RemainingAccess): readonly KeepingPolicy[] {
    return policyIds.map((policyId) => ({ policyId }));
  }
}
