import { Arg, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { may } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { previewCertificate } from '../../../trust/auth/index.js';
import { LoginPreview, shownTo } from './login-preview-type.js';

@ObjectType({ description: 'A claim of an X509-SVID.', simpleResolvers: true })
class SvidClaim {
  @Field(() => String, { description: 'Its name in the template of the authority, or `sub`.' })
  name!: string;

  @Field(() => String, { description: 'Its text.' })
  value!: string;
}

@ObjectType({
  description: 'The outcome that a login by a client certificate would have.',
  simpleResolvers: true,
})
export class CertificatePreview extends LoginPreview {
  @Field(() => ID, {
    nullable: true,
    description: 'Id of the authority that has signed it; null: this network, or none.',
  })
  authorityId!: string | null;

  @Field(() => [SvidClaim], {
    description:
      'The claims of an X509-SVID; none if its path does not fit the template of the authority.',
  })
  claims!: readonly SvidClaim[];
}

@Resolver()
export class CertificatePreviewResolver {
  @Needs(may('ca', 'read'))
  @Query(() => CertificatePreview, {
    description:
      'Judges a client certificate, such as an X509-SVID, as a login would, and tells why it would be refused. Nobody is logged in.',
  })
  async previewCertificate(
    @Arg('certPem', () => String, {
      description: 'The certificate as PEM, with its intermediates behind it.',
    })
    certPem: string,
    @Ctx() ctx: RequestContext,
  ): Promise<CertificatePreview> {
    const preview = shownTo(ctx.caller, await previewCertificate(ctx, certPem));
    const claims = Object.entries(preview.claims ?? {}).map(([name, value]) => ({ name, value }));
    return { ...preview, claims };
  }
}
