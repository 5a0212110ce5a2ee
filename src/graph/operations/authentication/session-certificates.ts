import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, ID, Info, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { certifyKey } from '../../../trust/enrollment/index.js';
import { columnsFor } from '../../../kernel/read/columns.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { notFound } from '../../../base/errors.js';
import { newId } from '../../../base/ids.js';
import { link } from '../../../kernel/declare/rest.js';
import { objectOf, ref, STRING } from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { CLIENT, Rest, type RestAnswer } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { permit, SESSION } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { requested } from '../../../kernel/read/selection.js';
import { deleteIn, insertIn, originOf } from '../../../kernel/write/write.js';
import { ApiSessionCertificate } from '../../../resources/sessions/api-session-certificate.js';
import { isOfApiSession } from '../../../resources/own-rows.js';

@ObjectType({ description: 'A new certificate of an API session.', simpleResolvers: true })
class NewSessionCertificate {
  @Field(() => ID, { description: 'Its id.' })
  id!: string;

  @Field(() => String, { description: 'The certificate with its chain, as PEM.' })
  certificate!: string;

  @Field(() => String, { description: 'The authorities to trust, as PEM.' })
  cas!: string;
}

const PATH = 'current-api-session/certificates';

const NEW_CERTIFICATE: RestAnswer = {
  kind: 'data',
  view: ({ id, certificate, cas }: NewSessionCertificate) => ({
    _links: { self: link(`${PATH}/${id}`) },
    id,
    certificate,
    cas,
  }),
  schema: objectOf({ _links: ref('Links'), id: STRING, certificate: STRING, cas: STRING }),
};

/** Certificates for clients that log in without one: routers require them. */
@Resolver()
export class SessionCertificatesResolver {
  @Rest({
    on: CLIENT,
    method: 'GET',
    path: `/${PATH}/{id}`,
    operationId: 'detailCurrentApiSessionCertificate',
    tag: 'certificates',
  })
  @Needs(SESSION)
  @Query(() => ApiSessionCertificate, {
    nullable: true,
    description: 'One of the certificates of the own API session; NOT_FOUND for others.',
  })
  async currentApiSessionCertificate(
    @Arg('id', () => ID, { description: 'Id of the certificate.' }) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'ApiSessionCertificate'>> {
    const { apiSessionId } = permit(ctx, SESSION);
    const resource = ctx.catalog.resources.ApiSessionCertificate;
    const columns = columnsFor(resource, requested(info), ctx.catalog, info);
    const visible = (alias: string) => isOfApiSession(alias, apiSessionId);
    const own = await ctx.reader.entity({ resource, columns, id, visible });
    if (!own) throw notFound(resource.label, id);
    return own;
  }

  @Rest({
    on: CLIENT,
    method: 'POST',
    path: `/${PATH}`,
    tag: 'certificates',
    status: 201,
    answer: NEW_CERTIFICATE,
  })
  @Runs({ lane: 'first' })
  @Needs(SESSION)
  @Mutation(() => NewSessionCertificate, {
    description: 'Certifies a key for connections to routers; the client keeps the key.',
  })
  async createCurrentApiSessionCertificate(
    @Arg('csr', () => String, { description: 'PKCS#10 request as PEM.' }) csr: string,
    @Ctx() ctx: RequestContext,
  ): Promise<NewSessionCertificate> {
    const { identityId, apiSessionId } = permit(ctx, SESSION);
    const keys = ctx.modules.keys;
    const id = newId();
    const certificate = await ctx.store.write(originOf(ctx), async (tx) => {
      const issued = await certifyKey(ctx, tx, keys, {
        csrPem: csr,
        profile: { kind: 'apiSession', identityId, apiSessionId, certificateId: id },
        holder: { type: 'ApiSession', id: apiSessionId },
      });
      await insertIn(tx, ctx.catalog.resources.ApiSessionCertificate, {
        id,
        apiSessionId,
        certificate: issued.chainPem,
        fingerprint: issued.fingerprint,
        subject: issued.subject,
        validFrom: issued.notBefore,
        validTo: issued.notAfter,
      });
      return issued.chainPem;
    });
    return { id, certificate, cas: keys.caBundlePem };
  }

  @Rest({ on: CLIENT, method: 'DELETE', path: `/${PATH}/{id}`, tag: 'certificates' })
  @Needs(SESSION)
  @Mutation(() => ID, { description: 'Deletes one of the certificates of the own API session.' })
  async deleteCurrentApiSessionCertificate(
    @Arg('id', () => ID, { description: 'Id of the certificate.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    const { apiSessionId } = permit(ctx, SESSION);
    const certificates = ctx.catalog.resources.ApiSessionCertificate;
    await ctx.store.write(originOf(ctx), async (tx) => {
      const [own] = await tx.find(certificates, { id, apiSessionId });
      if (!own) throw notFound(certificates.label, id);
      await deleteIn(ctx, tx, certificates, [own]);
    });
    return id;
  }
}
