import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { refuseHigherRightsOf } from '../../../trust/auth/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { currentRow, deleteIn, originOf, patchIn } from '../../../kernel/write/write.js';

import { EdgeRouter } from '../../../resources/routers/edge-router.js';
import { Enrollment } from '../../../resources/identities/enrollment.js';
import { addRouterEnrollment } from '../../../resources/identities/new-enrollment.js';
import { readOwn } from '../../own.js';

@Resolver()
export class EnrollmentActionsResolver {
  @Rest({
    method: 'POST',
    path: '/enrollments/{id}/refresh',
    status: 200,
    answer: { kind: 'created', collection: 'enrollments' },
  })
  @Needs(may('enrollment', 'update'))
  @Mutation(() => Enrollment, {
    description: 'Gives an enrollment a new end, token and JWT; the earlier ones are invalid.',
  })
  async refreshEnrollment(
    @Arg('id', () => ID, { description: 'Id of the enrollment.' }) id: string,
    @Arg('expiresAt', () => DateTime, { description: 'The new end, in the future.' })
    expiresAt: Date,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Enrollment'> | undefined> {
    const enrollments = ctx.catalog.resources.Enrollment;
    await ctx.store.write(originOf(ctx), async (tx) => {
      const current = await currentRow(tx, enrollments, id);
      await refuseHigherRightsOf(ctx, tx, current.identityId);
      const newToken = ctx.modules.enrollment.tokens.newEnrollment({
        method: current.method,
        subject: current.identityId ?? current.edgeRouterId ?? current.transitRouterId ?? '',
        expiresAt,
      });
      await patchIn(tx, enrollments, current, { ...newToken });
    });
    return readOwn(ctx, 'Enrollment', id, info);
  }

  @Rest({ method: 'POST', path: '/edge-routers/{id}/re-enroll' })
  @Needs(may('router', 'update'))
  @Mutation(() => EdgeRouter, {
    description:
      'Sends an edge router back to enrollment: its certificate is invalid and it is disconnected; everything else stays.',
  })
  async reEnrollEdgeRouter(
    @Arg('id', () => ID, { description: 'Id of the edge router.' }) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'EdgeRouter'> | undefined> {
    const routers = ctx.catalog.resources.EdgeRouter;
    const enrollments = ctx.catalog.resources.Enrollment;
    await ctx.store.write(originOf(ctx), async (tx) => {
      const current = await currentRow(tx, routers, id);
      await deleteIn(ctx, tx, enrollments, await tx.find(enrollments, { edgeRouterId: id }));
      await addRouterEnrollment(ctx, tx, { id, isEdge: true });
      await patchIn(tx, routers, current, {
        isVerified: false,
        fingerprint: null,
        certPem: null,
        unverifiedFingerprint: null,
        unverifiedCertPem: null,
      });
    });
    return readOwn(ctx, 'EdgeRouter', id, info);
  }
}
