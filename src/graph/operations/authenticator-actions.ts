import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import type { RequestContext } from '../../kernel/context.js';
import { failure } from '../../kernel/errors.js';
import { Needs } from '../../kernel/needs.js';
import { ADMIN, permit } from '../../kernel/permissions.js';
import type { Row } from '../../kernel/row.js';
import { sql } from '../../kernel/sql.js';
import type { Transaction } from '../../kernel/store-port.js';
import { currentRow, deleteIn, originOf, patchIn } from '../../kernel/write.js';
import { isIssuedBy, parseCertificatePem } from '../../pki/index.js';
import { Authenticator } from '../../resources/authenticator.js';
import { Enrollment } from '../../resources/enrollment.js';
import { addIdentityEnrollment } from '../../resources/new-enrollment.js';
import { readOwn } from '../own.js';

/** What administrators do with the authenticators of others. */
@Resolver()
export class AuthenticatorActionsResolver {
  @Needs(ADMIN)
  @Mutation(() => Enrollment, {
    description:
      'Takes an authenticator back to enrollment: it is removed with its API sessions, and an enrollment of the same kind is made.',
  })
  async reEnrollAuthenticator(
    @Arg('id', () => ID, { description: 'Id of the authenticator.' }) id: string,
    @Arg('expiresAt', () => GraphQLDateTimeISO, { description: 'End of the enrollment.' })
    expiresAt: Date,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row | undefined> {
    permit(ctx, ADMIN);
    const authenticators = ctx.catalog.get('Authenticator');
    const enrollment = await ctx.store.write(originOf(ctx), async (tx) => {
      const current = await currentRow(tx, authenticators, id);
      const identityId = String(current.identityId);
      const plan = await planOf(tx, current);
      const enrollments = ctx.catalog.get('Enrollment');
      const [other] = await tx.find(enrollments, { identityId, method: plan.method });
      if (other) throw failure('ENROLLMENT_EXISTS', 'method');
      await deleteIn(ctx, tx, authenticators, [current]);
      return addIdentityEnrollment(ctx, tx, { ...plan, identityId, expiresAt });
    });
    return readOwn(ctx, 'Enrollment', enrollment, info);
  }

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
  ): Promise<Row | undefined> {
    permit(ctx, ADMIN);
    const authenticators = ctx.catalog.get('Authenticator');
    await ctx.store.write(originOf(ctx), async (tx) => {
      const current = await currentRow(tx, authenticators, id);
      if (current.method !== 'cert' || current.isIssuedByNetwork !== true) {
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

type Plan =
  | { readonly method: 'updb'; readonly username: string }
  | { readonly method: 'ott' }
  | { readonly method: 'ottca'; readonly caId: string };

/** The kind of enrollment that leads to an authenticator like this one. */
async function planOf(tx: Transaction, current: Row): Promise<Plan> {
  if (current.method === 'updb') return { method: 'updb', username: String(current.username) };
  const caId = current.isIssuedByNetwork === true ? undefined : await issuerOf(tx, current.certPem);
  return caId === undefined ? { method: 'ott' } : { method: 'ottca', caId };
}

/** The authority of others that issued the certificate, if any did. */
async function issuerOf(tx: Transaction, certPem: unknown): Promise<string | undefined> {
  if (typeof certPem !== 'string') return undefined;
  const [leaf] = parseCertificatePem(certPem);
  const authorities = await tx.query(
    sql`select id, cert_pem from certificate_authority order by id`,
  );
  const issuer = authorities.find((ca) =>
    isIssuedBy(leaf, parseCertificatePem(String(ca.cert_pem))[0]),
  );
  return issuer && String(issuer.id);
}
