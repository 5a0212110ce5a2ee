import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import {
  enrollByJwt,
  enrollCa,
  enrollmentMethod,
  enrollOtt,
  enrollOttCa,
  enrollRouter,
  enrollUpdb,
  extendRouter,
  signingKeySet,
  signNonce,
  verifyAuthority,
  type EnrolledCertificates,
  type EnrolledPassword,
  type RouterEnrollmentDependencies,
} from '../../../trust/enrollment/index.js';
import { controllers } from '../../../data/rows/controller/index.js';
import { certificateAuthorities } from '../../../data/rows/certificate-authority/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { failure, notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { CLIENT, Rest } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { may, OPEN } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { Controller } from '../../../resources/controllers/controller.js';
import { withClientAddresses } from '../../../resources/controllers/client-controllers.js';

import { readSome } from '../../own.js';
import { ENROLL_REQUESTS } from './enroll-requests.js';
import { SIGNING_KEYS } from './signing-keys.js';

/** No network has so many that its clients could use. */
const MAX_CONTROLLERS = 100;

@InputType({
  description: 'The input of an enrollment; the method decides which members count.',
})
class EnrollInput {
  @Field(() => String, { nullable: true, description: 'The one-time token, a UUID.' })
  token?: string;

  @Field(() => String, {
    nullable: true,
    description: 'PKCS#10 request for the client certificate, as PEM.',
  })
  clientCsr?: string;

  @Field(() => String, {
    nullable: true,
    description: 'PKCS#10 request for the server certificate of a router, as PEM.',
  })
  serverCsr?: string;

  @Field(() => String, { nullable: true, description: 'The name for method `ca`.' })
  name?: string;

  @Field(() => String, { nullable: true, description: 'The password for method `updb`.' })
  password?: string;

  @Field(() => ID, { nullable: true, description: 'Id of the external signer for method `token`.' })
  signerId?: string;
}

@ObjectType({
  description: 'What an enrollment gives: certificates as PEM, or the name for logins by password.',
  simpleResolvers: true,
})
class EnrolledCertificatesType implements Enrolled {
  @Field(() => String, { nullable: true, description: 'The authorities to trust.' })
  ca?: string;

  @Field(() => String, {
    nullable: true,
    description: 'The client certificate with its intermediates.',
  })
  cert?: string;

  @Field(() => String, { nullable: true, description: 'The server certificate of a router.' })
  serverCert?: string;

  @Field(() => String, {
    nullable: true,
    description: 'The username that logs in with the password, of method `updb`.',
  })
  username?: string;
}

@ObjectType({
  description: 'A nonce, signed with the key that signs enrollment tokens.',
  simpleResolvers: true,
})
class SignedNonceType {
  @Field(() => String, { description: 'The JWS name of the algorithm, e.g. `ES256`.' })
  algorithm!: string;

  @Field(() => String, { description: 'The authorities to trust, as PEM.' })
  caPool!: string;

  @Field(() => String, { description: 'The id of the requested key.' })
  kid!: string;

  @Field(() => String, {
    description:
      'The signature of the UTF-8 bytes of the nonce as received; DER, in standard base64.',
  })
  signature!: string;
}

/** Members that a method does not give are absent. */
type Enrolled = Partial<EnrolledCertificates & EnrolledPassword>;

type Enroll = (
  ctx: RequestContext,
  input: EnrollInput,
) => Promise<Enrolled | undefined> | Promise<void>;

const tokenIn = ({ token }: EnrollInput): string => token ?? '';

const routerRequests = ({ clientCsr, serverCsr }: EnrollInput) => ({ clientCsr, serverCsr });

const routerDependencies = ({ modules }: RequestContext): RouterEnrollmentDependencies => ({
  keys: modules.keys,
  names: modules.enrollment.routerNames,
});

const METHODS: ReadonlyMap<string, Enroll> = new Map(
  Object.entries<Enroll>({
    ott: (ctx, input) => enrollOtt(ctx, ctx.modules.keys, tokenIn(input), input.clientCsr),
    ottca: (ctx, input) => enrollOttCa(ctx, tokenIn(input)),
    ca: (ctx, { name }) => enrollCa(ctx, name),
    updb: (ctx, input) => enrollUpdb(ctx, tokenIn(input), input.password),
    erott: (ctx, input) =>
      enrollRouter(ctx, routerDependencies(ctx), 'erott', tokenIn(input), routerRequests(input)),
    trott: (ctx, input) =>
      enrollRouter(ctx, routerDependencies(ctx), 'trott', tokenIn(input), routerRequests(input)),
    token: (ctx, { signerId, clientCsr }) =>
      enrollByJwt(
        ctx,
        {
          keys: ctx.modules.keys,
          signers: ctx.modules.signers,
          jwks: ctx.modules.jwks,
        },
        signerId,
        clientCsr === '' ? undefined : clientCsr,
      ),
  }),
);

@Resolver(() => EnrolledCertificatesType)
export class EnrollResolver {
  @Needs(OPEN)
  @FieldResolver(() => [Controller], {
    description:
      'The running controllers that the identity may talk to from now on, beside its certificate. Routers get theirs from their token.',
  })
  async controllers(
    @Root() { cert, serverCert }: Enrolled,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Controller'>[]> {
    const isForIdentity = cert !== undefined && serverCert === undefined;
    if (!isForIdentity) return [];
    const { clientDoor } = ctx.modules;
    const predicate = (alias: string) => controllers.isForClientsSql(alias, clientDoor);
    const usable = await readSome(ctx, 'Controller', { predicate, limit: MAX_CONTROLLERS }, info);
    return usable.map(withClientAddresses);
  }

  @Rest(...ENROLL_REQUESTS)
  @Runs({ lane: 'first' })
  @Needs(OPEN)
  @Mutation(() => EnrolledCertificatesType, {
    nullable: true,
    description:
      'Joins an identity or a router to the network. Consumes its token; a failure leaves the token unused.',
  })
  async enroll(
    @Arg('method', () => String, {
      nullable: true,
      description:
        '`ott`, `ottca`, `ca`, `updb`, `erott`, `trott`, or `token` (the JWT of an external signer as bearer). Default: the method of the one-time token.',
    })
    method: string | undefined,
    @Arg('input', () => EnrollInput, { description: 'Token and requests.' }) input: EnrollInput,
    @Ctx() ctx: RequestContext,
  ): Promise<Enrolled | null> {
    const enroll = METHODS.get(method ?? (await enrollmentMethod(ctx, tokenIn(input))));
    if (!enroll) throw failure('INVALID_ENROLL_METHOD');
    return (await enroll(ctx, input)) ?? null;
  }

  @Rest({
    on: CLIENT,
    method: 'POST',
    path: '/enroll/extend/router',
    tag: 'enrollment',
    arguments: { clientCsr: { member: 'certCsr' }, serverCsr: { member: 'serverCertCsr' } },
    errors: [401],
    answer: { kind: 'data', select: 'ca cert serverCert', omitsEmpty: true },
  })
  @Runs({ lane: 'first' })
  @Needs(OPEN)
  @Mutation(() => EnrolledCertificatesType, {
    description:
      'Issues new certificates for the router with the client certificate of the connection; the old ones end at once.',
  })
  extendRouterEnrollment(
    @Arg('clientCsr', () => String, { description: 'Request for the client certificate.' })
    clientCsr: string,
    @Arg('serverCsr', () => String, { description: 'Request for the server certificate.' })
    serverCsr: string,
    @Ctx() ctx: RequestContext,
  ): Promise<EnrolledCertificates> {
    return extendRouter(ctx, routerDependencies(ctx), { clientCsr, serverCsr });
  }

  @Rest({
    on: CLIENT,
    method: 'POST',
    path: '/enroll/challenge',
    tag: 'enrollment',
    answer: {
      kind: 'raw',
      contentType: 'application/json',
      select: 'algorithm caPool kid signature',
    },
  })
  @Runs({ lane: 'first' })
  @Needs(OPEN)
  @Query(() => SignedNonceType, {
    description:
      'Lets a client verify the network before it enrolls: signs the UTF-8 bytes of the nonce, exactly as received, with a key that signs enrollment tokens.',
  })
  enrollmentChallenge(
    @Arg('keyId', () => String, { description: 'A key of `enrollmentKeys`, or `kid` of a token.' })
    keyId: string,
    @Arg('nonce', () => String, {
      description: 'A fresh UUID, as text; its UTF-8 bytes are signed.',
    })
    nonce: string,
    @Ctx() ctx: RequestContext,
  ): SignedNonceType {
    return signNonce(ctx.modules.keys, keyId, nonce);
  }

  @Rest({
    on: CLIENT,
    method: 'GET',
    path: '/enroll/jwks',
    operationId: 'getEnrollmentJwks',
    tag: 'enrollment',
    answer: { kind: 'raw', contentType: 'application/json', schema: SIGNING_KEYS },
  })
  @Runs({ lane: 'first' })
  @Needs(OPEN)
  @Query(() => GraphQLJSONObject, {
    description: 'The public keys that sign enrollment tokens, as a JSON Web Key Set.',
  })
  enrollmentKeys(@Ctx() ctx: RequestContext): object {
    return signingKeySet(ctx.modules.keys);
  }

  @Rest({
    method: 'POST',
    path: '/cas/{id}/verify',
    operationId: 'verifyCa',
    arguments: { certificate: ({ body }) => (typeof body === 'string' ? body : '') },
    body: { kind: 'text', description: 'The certificate, as PEM.' },
    errors: [409],
  })
  @Needs(may('ca', 'update'))
  @Mutation(() => ID, {
    description:
      'Proves the control of an authority: by a certificate that it signed, with the verification token as common name.',
  })
  async verifyCertificateAuthority(
    @Arg('id', () => ID, { description: 'Id of the authority.' }) id: string,
    @Arg('certificate', () => String, { description: 'The certificate, as PEM.' })
    certificate: string,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    await verifyAuthority(ctx, id, certificate);
    return id;
  }

  @Rest({
    method: 'GET',
    path: '/cas/{id}/jwt',
    operationId: 'getCaJwt',
    answer: { kind: 'raw', contentType: 'application/jwt' },
  })
  @Needs(may('ca', 'read'))
  @Query(() => String, {
    nullable: true,
    description: 'The token for clients with a certificate of the authority; it does not expire.',
  })
  async certificateAuthorityJwt(
    @Arg('id', () => ID, { description: 'Id of the authority.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    if (!(await certificateAuthorities.exists(ctx.store, id))) throw notFound('ca', id);
    return ctx.modules.enrollment.tokens.caJwt(id);
  }
}
