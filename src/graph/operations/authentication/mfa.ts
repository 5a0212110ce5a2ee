import { Arg, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import {
  confirmMfa,
  currentMfa,
  issueTotpToken,
  mfaDependencies,
  observedCode,
  proveMfa,
  qrCodePng,
  removeMfa,
  removeMfaOf,
  renewRecoveryCodes,
  startMfa,
  viewRecoveryCodes,
  type MfaView,
  type TotpToken,
} from '../../../trust/auth/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { failure } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { BOTH, Rest } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { FACTORLESS, may, PARTIAL, permit, SESSION } from '../../../kernel/declare/permissions.js';

import { CREATED_MFA, onOwnMfa, OPTIONAL_CODE, OWN_MFA, RECOVERY_CODES } from './mfa-bodies.js';

@ObjectType({ description: 'The second factor of the caller.', simpleResolvers: true })
class Mfa implements MfaView {
  @Field(() => ID, { description: 'Its id.' })
  id!: string;

  @Field(() => DateTime, { description: 'Start of its enrollment.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'Time of its last change.' })
  updatedAt!: Date;

  @Field(() => Boolean, { description: 'Whether its enrollment is completed.' })
  isVerified!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The URL for authenticator applications; null once it is verified.',
  })
  provisioningUrl!: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Single-use codes; null once it is verified.',
  })
  recoveryCodes!: string[] | null;
}

@ObjectType({ description: 'The unused recovery codes.', simpleResolvers: true })
class MfaRecoveryCodes {
  @Field(() => [String], { description: 'Single-use codes.' })
  recoveryCodes!: readonly string[];

  @Field(() => Mfa, { description: 'The second factor that they replace.' })
  mfa!: MfaView;
}

@ObjectType('TotpToken', {
  description: 'A proof that a session gave a one-time code.',
  simpleResolvers: true,
})
class IssuedTotpToken implements TotpToken {
  @Field(() => String, { description: 'A JWT for routers.' })
  token!: string;

  @Field(() => DateTime, { description: 'Time of the proof.' })
  issuedAt!: Date;
}

const CODE = { description: 'A current one-time code, or a recovery code.' };
const ONE_TIME_CODE = { description: 'A current one-time code.' };

@Resolver()
export class MfaResolver {
  @Rest({ ...onOwnMfa('GET', '', 'detailMfa'), errors: [404], answer: OWN_MFA })
  @Needs(FACTORLESS)
  @Query(() => Mfa, { nullable: true, description: 'The second factor; NOT_FOUND without one.' })
  currentMfa(@Ctx() ctx: RequestContext): Promise<MfaView> {
    return currentMfa(ctx, permit(ctx, FACTORLESS), mfaDependencies(ctx));
  }

  @Rest({
    ...onOwnMfa('GET', '/qr-code', 'detailMfaQrCode'),
    errors: [404],
    answer: {
      kind: 'raw',
      contentType: 'image/png',
      view: (png: string) => Buffer.from(png, 'base64'),
    },
  })
  @Needs(FACTORLESS)
  @Query(() => String, {
    nullable: true,
    description:
      'The QR code of the provisioning URL (PNG, base64); only while the factor is pending.',
  })
  async currentMfaQrCode(@Ctx() ctx: RequestContext): Promise<string> {
    const { provisioningUrl } = await currentMfa(
      ctx,
      permit(ctx, FACTORLESS),
      mfaDependencies(ctx),
    );
    if (provisioningUrl === null) throw failure('NOT_FOUND');
    return (await qrCodePng(provisioningUrl)).toString('base64');
  }

  @Rest({ ...onOwnMfa('POST', '', 'enrollMfa'), errors: [409], answer: CREATED_MFA })
  @Needs(FACTORLESS)
  @Mutation(() => ID, {
    description: 'Starts the enrollment of a second factor and replaces a pending one.',
  })
  createCurrentMfa(@Ctx() ctx: RequestContext): Promise<string> {
    return startMfa(ctx, permit(ctx, FACTORLESS), mfaDependencies(ctx));
  }

  @Rest({ ...onOwnMfa('POST', '/verify', 'verifyMfa'), errors: [404], anyText: true })
  @Needs(FACTORLESS)
  @Mutation(() => Boolean, { description: 'Completes the pending second factor.' })
  async verifyCurrentMfa(
    @Arg('code', () => String, ONE_TIME_CODE) code: string,
    @Ctx() ctx: RequestContext,
  ): Promise<boolean> {
    await confirmMfa(ctx, permit(ctx, FACTORLESS), code, mfaDependencies(ctx));
    return true;
  }

  @Rest({
    on: BOTH,
    method: 'POST',
    path: '/authenticate/mfa',
    tag: 'mfa',
    errors: [409],
    anyText: true,
  })
  @Runs({ lane: 'first' })
  @Needs(PARTIAL)
  @Mutation(() => Boolean, {
    description: 'Proves the second factor for the rest of the session. Each code counts once.',
  })
  async authenticateMfa(
    @Arg('code', () => String, CODE) code: string,
    @Ctx() ctx: RequestContext,
  ): Promise<boolean> {
    const caller = permit(ctx, PARTIAL);
    await observedCode(ctx, caller, () => proveMfa(ctx, caller, code, mfaDependencies(ctx)));
    return true;
  }

  @Rest({
    on: BOTH,
    method: 'POST',
    path: '/current-api-session/totp-token',
    operationId: 'createTotpToken',
    tag: 'mfa',
    errors: [409],
    anyText: true,
    answer: { kind: 'data' },
  })
  @Needs(SESSION)
  @Mutation(() => IssuedTotpToken, {
    description:
      'Proves the second factor again, and gives a token that says so; for sessions over OpenID Connect.',
  })
  createTotpToken(
    @Arg('code', () => String, ONE_TIME_CODE) code: string,
    @Ctx() ctx: RequestContext,
  ): Promise<TotpToken> {
    return issueTotpToken(ctx, permit(ctx, SESSION), code);
  }

  @Rest({ ...onOwnMfa('DELETE', '', 'deleteMfa'), ...OPTIONAL_CODE, errors: [404] })
  @Needs(SESSION)
  @Mutation(() => Boolean, { description: 'Removes the second factor.' })
  async deleteCurrentMfa(
    @Arg('code', () => String, {
      ...CODE,
      description: `${CODE.description} Empty while the factor is pending.`,
    })
    code: string,
    @Ctx() ctx: RequestContext,
  ): Promise<boolean> {
    await removeMfa(ctx, permit(ctx, SESSION), code, mfaDependencies(ctx));
    return true;
  }

  @Rest({
    ...onOwnMfa('GET', '/recovery-codes', 'detailMfaRecoveryCodes'),
    ...OPTIONAL_CODE,
    errors: [404],
    answer: RECOVERY_CODES,
  })
  @Needs(SESSION)
  @Mutation(() => MfaRecoveryCodes, {
    description: 'Gives the unused recovery codes. A mutation, because wrong codes are counted.',
  })
  async currentMfaRecoveryCodes(
    @Arg('code', () => String, ONE_TIME_CODE) code: string,
    @Ctx() ctx: RequestContext,
  ): Promise<MfaRecoveryCodes> {
    const mfa = await viewRecoveryCodes(ctx, permit(ctx, SESSION), code, mfaDependencies(ctx));
    return { recoveryCodes: mfa.recoveryCodes ?? [], mfa: { ...mfa, recoveryCodes: null } };
  }

  @Rest({
    ...onOwnMfa('POST', '/recovery-codes', 'createMfaRecoveryCodes'),
    errors: [404],
    anyText: true,
  })
  @Needs(SESSION)
  @Mutation(() => Boolean, { description: 'Replaces all recovery codes.' })
  async createCurrentMfaRecoveryCodes(
    @Arg('code', () => String, CODE) code: string,
    @Ctx() ctx: RequestContext,
  ): Promise<boolean> {
    await renewRecoveryCodes(ctx, permit(ctx, SESSION), code, mfaDependencies(ctx));
    return true;
  }

  @Rest({ method: 'DELETE', path: '/identities/{id}/mfa' })
  @Needs(may('identity', 'update'))
  @Mutation(() => ID, { description: 'Removes the second factor of an identity.' })
  async removeIdentityMfa(
    @Arg('id', () => ID, { description: 'Id of the identity.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    await removeMfaOf(ctx, id, mfaDependencies(ctx));
    return id;
  }
}
