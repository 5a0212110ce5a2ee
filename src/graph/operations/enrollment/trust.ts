import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { OPEN } from '../../../kernel/declare/permissions.js';
import { caBundlePkcs7 } from '../../../pki/index.js';

@ObjectType({ description: 'A signed token that introduces the network.', simpleResolvers: true })
class NetworkJwt {
  @Field(() => String, { description: 'Name of the network.' })
  name!: string;

  @Field(() => String, { description: 'The token.' })
  token!: string;
}

@ObjectType({ description: 'The description of one REST interface.', simpleResolvers: true })
class Spec {
  @Field(() => ID, { description: 'Equal to the name.' })
  id!: string;

  @Field(() => String, { description: '`edge-client` or `edge-management`.' })
  name!: string;

  @Field(() => GraphQLJSONObject, { description: 'The OpenAPI document.' })
  document!: object;
}

@Resolver()
export class TrustResolver {
  @Needs(OPEN)
  @Query(() => [NetworkJwt], { description: 'Tokens that introduce the network to clients.' })
  networkJwts(@Ctx() ctx: RequestContext): NetworkJwt[] {
    return [{ name: 'default', token: ctx.modules.enrollment.tokens.networkJwt() }];
  }

  @Needs(OPEN)
  @Query(() => String, {
    description: 'The authorities to trust: PKCS#7 in DER, base64 in lines of 64 characters.',
  })
  authorities(@Ctx() ctx: RequestContext): string {
    return caBundlePkcs7(ctx.modules.keys.authorities);
  }

  @Needs(OPEN)
  @Query(() => [Spec], { description: 'The descriptions of the REST interfaces.' })
  specs(@Ctx() ctx: RequestContext): Spec[] {
    return [...ctx.modules.specs].map(([id, document]) => ({ id, name: id, document }));
  }

  @Needs(OPEN)
  @Query(() => Spec, { nullable: true, description: 'One of them; NOT_FOUND when there is none.' })
  spec(
    @Arg('id', () => ID, { description: '`edge-client` or `edge-management`.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Spec {
    const document = ctx.modules.specs.get(id);
    if (!document) throw notFound('spec', id);
    return { id, name: id, document };
  }
}
