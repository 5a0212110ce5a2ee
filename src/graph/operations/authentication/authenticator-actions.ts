import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { failure } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { ADMIN, permit } from '../../../kernel/declare/permissions.js';
import type { RowOf, SelectedOf } from '../../../kernel/declare/rows.js';
import type { Transaction } from '../../../kernel/request/store-port.js';
import { currentRow, deleteIn, originOf, patchIn } from '../../../kernel/write/write.js';
import { parseCertificatePem } from '../../../trust/pki/index.js';
import { Authenticator } from '../../../resources/identities/authenticator.js';
import { Enrollment } from '../../../resources/identities/enrollment.js';
import { issuingAuthority } from '../../../resources/trust/issuing-authority.js';
import { addIdentityEnrollment } from '../../../resources/identities/new-enrollment.js';
import { readOwn } from '../../own.js';

/** Actions of administrators on the authenticators of identities. */
@Resolver()
export class AuthenticatorActionsResolver {
  @Rest({
    method: 'POST',
    path: '/authenticators/{id}/re-enroll',
    errors: [409],
    answer: { kind: 'created', collection: 'enrollments' },
  })
  @Needs(ADMIN)
  @Mutation(() => Enrollment, {
    description:
      'Replaces an authenticator by an enrollment of the same kind; its API sessions end.',
  })
  async reEnrollAuthenticator(
    @Arg('id', () => ID, { description: 'Id of the authenticator.' }) id: string,
    @Arg('expiresAt', () => DateTime, { description: 'End of the enrollment.' })
    expiresAt: Date,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Enrollment'> | undefined> {
    permit(ctx, ADMIN);
    const authenticators = ctx.catalog.resources.Authenticator;
    const enrollment = await ctx.store.write(originOf(ctx), async (tx) => {
      const current = await currentRow(tx, authenticators, id);
      const { identityId } = current;
      const plan = await planOf(ctx, tx, current);
      const enrollments = ctx.catalog.resources.Enrollment;
      const [existingEnrollment] = await tx.find(enrollments, { identityId, method: plan.method });
      if (existingEnrollment) throw failure('ENROLLMENT_EXISTS', 'method');
      await deleteIn(ctx, tx, authenticators, [current]);
      return addIdentityEnrollment(ctx, tx, { ...plan, identityId, expiresAt });
    });
    return readOwn(ctx, 'Enrollment', enrollment, info);
  }

  @Rest({
    method: 'POST',
    path: '/authenticators/{id}/request-extend',
    forbids: true,
    errors: [409],
  })
  @Needs(ADMIN)
  @Mutation(() => Authenticator, {
    description: 'Asks the client of a certificate authenticator to extend its certificate.',
  })
  async requestExtendAuthenticator(
    @Arg('id', () => ID, { description: 'Id of the authenticator.' }) id: string,
    @Arg('rollKeys', () => Boolean, {
      defaultValue: false,
      description: 'Whether the new certificate should have a new key.',
    })
    rollKeys: boolean,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Authenticator'> | undefined> {
    permit(ctx, ADMIN);
    const authenticators = ctx.catalog.resources.Authenticator;
    await ctx.store.write(originOf(ctx), async (tx) => {
      const current = await currentRow(tx, authenticators, id);
      if (current.method !== 'cert' || !current.isIssuedByNetwork) {
        throw failure('CAN_NOT_UPDATE_AUTHENTICATOR');
      }
      await patchIn(tx, authenticators, current, {
        isExtendRequested: true,
        isKeyRollRequested: rollKeys,
        extendRequestedAt: ctx.now(),
      });
    });
    return readOwn(ctx, 'Authenticator', id, info);
  }
}

type EnrollmentPlan =
  | { readonly method: 'updb'; readonly username: string }
  | { readonly method: 'ott' }
  | { readonly method: 'ottca'; readonly caId: string };

/** Chooses the kind of enrollment that leads to an authenticator like this one. */
async function planOf(
  ctx: RequestContext,
  tx: Transaction,
  current: RowOf<'Authenticator'>,
): Promise<EnrollmentPlan> {
  const { method, username, certPem, isIssuedByNetwork } = current;
  if (method === 'updb') return { method, username: username ?? '' };
  if (current.caId !== null) return { method: 'ottca', caId: current.caId };
  if (isIssuedByNetwork || certPem === null) return { method: 'ott' };
  const caId = await issuingAuthority(ctx, tx, parseCertificatePem(certPem)[0]);
  return caId === undefined ? { method: 'ott' } : { method: 'ottca', caId };
}
