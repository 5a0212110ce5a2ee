import type { X509Certificate } from 'node:crypto';
import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Ctx,
  Field,
  ID,
  Info,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql';
import { isPassword } from '../../../trust/auth/index.js';
import { certifyKey } from '../../../trust/enrollment/index.js';
import { columnsFor } from '../../../kernel/read/columns.js';
import type { Caller, RequestContext } from '../../../kernel/request/context.js';
import { ApiError, failure, notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { BOTH, Rest, type RestOperation } from '../../../kernel/graph/rest-operation.js';
import { permit, SESSION } from '../../../kernel/declare/permissions.js';
import type { RowOf, SelectedOf, ValuesOf } from '../../../kernel/declare/rows.js';
import { requested } from '../../../kernel/read/selection.js';
import type { Transaction } from '../../../kernel/request/store-port.js';
import { changeIn, currentRow, originOf, patchIn } from '../../../kernel/write/write.js';
import {
  decodeCertificate,
  fingerprint,
  isCurrent,
  parseCertificatePem,
} from '../../../trust/pki/index.js';
import { Authenticator } from '../../../resources/identities/authenticator.js';

import { readOwn } from '../../own.js';
import { isOfIdentity } from '../../../resources/own-rows.js';

@InputType({ description: 'New username and password, with the current password.' })
class OwnAuthenticatorInput {
  @Field(() => String, { description: 'The current password.' })
  currentPassword!: string;

  @Field(() => String, { nullable: true, description: 'New username, 4 to 100 characters.' })
  username?: string | null;

  @Field(() => String, { nullable: true, description: 'New password, 5 to 100 characters.' })
  password?: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'New tags.' })
  tags?: object | null;
}

@ObjectType({
  description: 'A new certificate that waits for confirmation.',
  simpleResolvers: true,
})
class ExtendedCertificate {
  @Field(() => String, { description: 'The authorities to trust, as PEM.' })
  ca!: string;

  @Field(() => String, { description: 'The new certificate with its chain, as PEM.' })
  clientCert!: string;
}

const AUTHENTICATOR_ID = { description: 'Id of one of the own authenticators.' };

/** An operation on one of the own authenticators. */
const onOwn = (
  method: RestOperation['method'],
  operationId: string,
  below = '',
): Pick<RestOperation, 'on' | 'method' | 'path' | 'operationId' | 'tag'> => ({
  on: BOTH,
  method,
  path: `/current-identity/authenticators/{id}${below}`,
  operationId,
  tag: 'authenticators',
});

/** Operations of an identity on its own authenticators. */
@Resolver()
export class OwnAuthenticatorsResolver {
  @Rest(onOwn('GET', 'detailCurrentIdentityAuthenticator'))
  @Needs(SESSION)
  @Query(() => Authenticator, {
    nullable: true,
    description: 'One of the own authenticators; NOT_FOUND for those of others.',
  })
  async currentAuthenticator(
    @Arg('id', () => ID, AUTHENTICATOR_ID) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Authenticator'> | undefined> {
    const { identityId } = permit(ctx, SESSION);
    const resource = ctx.catalog.resources.Authenticator;
    const columns = columnsFor(resource, requested(info), ctx.catalog, info);
    const visible = (alias: string) => isOfIdentity(alias, identityId);
    const own = await ctx.reader.entity({ resource, columns, id, visible });
    if (!own) throw notFound(resource.label, id);
    return own;
  }

  @Rest({
    ...onOwn('PUT', 'updateCurrentIdentityAuthenticator'),
    needs: ['username', 'password'],
    errors: [409],
  })
  @Needs(SESSION)
  @Mutation(() => Authenticator, { description: 'Sets the own username and password (REST PUT).' })
  async replaceCurrentAuthenticator(
    @Arg('id', () => ID, AUTHENTICATOR_ID) id: string,
    @Arg('input', () => OwnAuthenticatorInput, { description: 'The new username and password.' })
    input: OwnAuthenticatorInput,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Authenticator'> | undefined> {
    await change(ctx, id, 'replace', input);
    return readOwn(ctx, 'Authenticator', id, info);
  }

  @Rest({ ...onOwn('PATCH', 'patchCurrentIdentityAuthenticator'), errors: [409] })
  @Needs(SESSION)
  @Mutation(() => Authenticator, {
    description: 'Changes the own username or password (REST PATCH).',
  })
  async updateCurrentAuthenticator(
    @Arg('id', () => ID, AUTHENTICATOR_ID) id: string,
    @Arg('input', () => OwnAuthenticatorInput, { description: 'The changes.' })
    input: OwnAuthenticatorInput,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Authenticator'> | undefined> {
    await change(ctx, id, 'update', input);
    return readOwn(ctx, 'Authenticator', id, info);
  }

  @Rest({
    ...onOwn('POST', 'extendCurrentIdentityAuthenticator', '/extend'),
    arguments: { csr: { member: 'clientCertCsr' } },
    errors: [409],
  })
  @Needs(SESSION)
  @Mutation(() => ExtendedCertificate, {
    description:
      'Issues a new certificate to replace the one of this connection. The old one is valid until the new one is confirmed.',
  })
  async extendCurrentAuthenticator(
    @Arg('id', () => ID, AUTHENTICATOR_ID) id: string,
    @Arg('csr', () => String, { description: 'PKCS#10 request as PEM; the key may be new.' })
    csr: string,
    @Ctx() ctx: RequestContext,
  ): Promise<ExtendedCertificate> {
    const caller = permit(ctx, SESSION);
    const keys = ctx.modules.keys;
    return ctx.store.write(originOf(ctx), async (tx) => {
      const current = await ownCertificateRow(ctx, tx, caller, id);
      const presented = presentedCertificate(ctx, current);
      await checkDates(ctx, tx, caller, presented);
      const issued = await certifyKey(ctx, tx, keys, {
        csrPem: csr,
        profile: { kind: 'renewal', current: presented },
        holder: { type: 'Identity', id: caller.identityId },
      });
      await patchIn(tx, ctx.catalog.resources.Authenticator, current, {
        unverifiedFingerprint: issued.fingerprint,
        unverifiedCertPem: issued.certificatePem,
      });
      return { ca: keys.caBundlePem, clientCert: issued.chainPem };
    });
  }

  @Rest({
    ...onOwn('POST', 'extendVerifyCurrentIdentityAuthenticator', '/extend-verify'),
    arguments: { certificate: { member: 'clientCert' } },
    errors: [409],
  })
  @Needs(SESSION)
  @Mutation(() => ID, { description: 'Confirms the new certificate and ends the old one.' })
  async confirmCurrentAuthenticator(
    @Arg('id', () => ID, AUTHENTICATOR_ID) id: string,
    @Arg('certificate', () => String, { description: 'The new certificate as PEM.' })
    certificate: string,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    const caller = permit(ctx, SESSION);
    await ctx.store.write(originOf(ctx), async (tx) => {
      const current = await ownCertificateRow(ctx, tx, caller, id);
      if (current.unverifiedFingerprint === null) {
        throw failure('CAN_NOT_UPDATE_AUTHENTICATOR', 'no new certificate waits to be confirmed');
      }
      if (firstFingerprint(certificate) !== current.unverifiedFingerprint) {
        throw failure('INVALID_CLIENT_CERT');
      }
      await patchIn(tx, ctx.catalog.resources.Authenticator, current, confirmedValues(current));
    });
    return id;
  }
}

/** Replaces the old certificate by the new one, and completes a request to extend it. */
const confirmedValues = (current: RowOf<'Authenticator'>): ValuesOf<'Authenticator'> => ({
  fingerprint: current.unverifiedFingerprint,
  certPem: current.unverifiedCertPem,
  unverifiedFingerprint: null,
  unverifiedCertPem: null,
  isExtendRequested: false,
  isKeyRollRequested: false,
  extendRequestedAt: null,
  lastExtendRolledKeys: keyIn(current.certPem) !== keyIn(current.unverifiedCertPem),
});

const keyIn = (pem: string | null): string | undefined =>
  pem === null
    ? undefined
    : parseCertificatePem(pem)[0]
        .publicKey.export({ type: 'spki', format: 'der' })
        .toString('base64');

function firstFingerprint(pem: string): string | undefined {
  try {
    return fingerprint(parseCertificatePem(pem, 'clientCert')[0]);
  } catch {
    return undefined;
  }
}

async function ownRow(
  ctx: RequestContext,
  tx: Transaction,
  caller: Caller,
  id: string,
): Promise<RowOf<'Authenticator'>> {
  const authenticators = ctx.catalog.resources.Authenticator;
  const [ownAuthenticator] = await tx.find(authenticators, { id, identityId: caller.identityId });
  if (!ownAuthenticator) throw notFound('authenticator', id);
  return currentRow(tx, authenticators, id);
}

/** Gives a certificate authenticator. A caller without ownership gets a refusal, not NOT_FOUND. */
async function ownCertificateRow(
  ctx: RequestContext,
  tx: Transaction,
  caller: Caller,
  id: string,
): Promise<RowOf<'Authenticator'>> {
  const current = await currentRow(tx, ctx.catalog.resources.Authenticator, id);
  if (current.identityId !== caller.identityId) throw failure('UNAUTHORIZED');
  return current;
}

function presentedCertificate(
  ctx: RequestContext,
  current: RowOf<'Authenticator'>,
): X509Certificate {
  const [leaf] = ctx.credentials.clientChain();
  if (!leaf) throw failure('UNAUTHORIZED', 'the connection has no client certificate');
  if (current.method !== 'cert' || !current.isIssuedByNetwork) {
    throw failure('CAN_NOT_UPDATE_AUTHENTICATOR');
  }
  const certificate = decodeCertificate(leaf);
  if (!certificate || fingerprint(certificate) !== current.fingerprint) {
    throw failure('UNAUTHORIZED', 'the connection has another client certificate');
  }
  return certificate;
}

/** Refuses to renew a certificate that can not log in, even when the session has another login. */
async function checkDates(
  ctx: RequestContext,
  tx: Transaction,
  { identityId }: Caller,
  certificate: X509Certificate,
): Promise<void> {
  if (isCurrent(certificate, ctx.now())) return;
  const [identity] = await tx.find(ctx.catalog.resources.Identity, { id: identityId });
  if (!identity) throw failure('UNAUTHORIZED');
  const [policy] = await tx.find(ctx.catalog.resources.AuthPolicy, { id: identity.authPolicyId });
  if (policy?.primary.cert.allowExpiredCerts) return;
  throw failure('UNAUTHORIZED', 'the client certificate is not valid now');
}

async function change(
  ctx: RequestContext,
  id: string,
  verb: 'replace' | 'update',
  input: OwnAuthenticatorInput,
): Promise<void> {
  const caller = permit(ctx, SESSION);
  const { currentPassword, ...newValues } = input;
  const limit = ctx.modules.loginLimit;
  await limit.attempt([`password:${caller.identityId}`], ctx.now, () =>
    ctx.store.write(originOf(ctx), async (tx) => {
      const current = await ownRow(ctx, tx, caller, id);
      if (current.method !== 'updb') throw failure('CAN_NOT_UPDATE_AUTHENTICATOR');
      if (!(await isPassword(current.passwordHash ?? '', currentPassword))) throw wrongPassword();
      const filledEntries = Object.entries(newValues).filter(
        ([, value]) => (value ?? null) !== null,
      );
      const resource = ctx.catalog.resources.Authenticator;
      await changeIn(ctx, tx, resource, verb, id, Object.fromEntries(filledEntries));
    }),
  );
}

const wrongPassword = (): ApiError =>
  new ApiError('UNAUTHORIZED', {
    kind: 'field',
    field: 'currentPassword',
    reason: 'is not the password of now',
    value: '',
  });
