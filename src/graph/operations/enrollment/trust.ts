import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { stringify } from 'yaml';
import type { RequestContext } from '../../../kernel/request/context.js';
import { notFound } from '../../../base/errors.js';
import { link } from '../../../kernel/declare/rest.js';
import { listOf, objectOf, ref, STRING, TIME } from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import {
  CLIENT,
  FABRIC,
  MANAGEMENT,
  Rest,
  type RestAnswer,
  type RestRequest,
} from '../../../kernel/graph/rest-operation.js';
import { OPEN } from '../../../kernel/declare/permissions.js';
import { caBundlePkcs7 } from '../../../trust/pki/index.js';
import { publicOperation } from '../controller/public-operation.js';

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

  @Field(() => String, { description: '`edge-client`, `edge-management` or `fabric`.' })
  name!: string;

  @Field(() => GraphQLJSONObject, { description: 'The OpenAPI document.' })
  document!: object;
}

/** The date of the specifications of this release; only releases change them. */
const SPECS_DATE = '2026-11-20T00:00:00.000Z';

const specBody = ({ id, name }: Pick<Spec, 'id' | 'name'>): object => ({
  _links: { self: link(`specs/${id}`), spec: link(`specs/${id}/spec`) },
  id,
  name,
  createdAt: SPECS_DATE,
  updatedAt: SPECS_DATE,
  tags: {},
});

const SPEC = objectOf({
  _links: ref('Links'),
  id: STRING,
  name: STRING,
  createdAt: TIME,
  updatedAt: TIME,
  tags: { type: 'object' },
});

/** Gives the specs of an interface. */
const specsOf = (isIncluded: (id: string) => boolean): RestAnswer => ({
  kind: 'data',
  select: 'id name',
  view: (specs: readonly Spec[]) => specs.filter(({ id }) => isIncluded(id)).map(specBody),
  schema: listOf(SPEC),
});

const JSON_DOCUMENT: RestAnswer = {
  kind: 'raw',
  contentType: 'application/json',
  select: 'document',
  view: ({ document }: Spec) => JSON.stringify(document),
};

const ANY_DOCUMENT: RestAnswer = {
  ...JSON_DOCUMENT,
  alternative: 'text/yaml',
  view: ({ document }: Spec, contentType: string) =>
    contentType === 'text/yaml'
      ? stringify(document, { aliasDuplicateObjects: false })
      : JSON.stringify(document),
};

/** Documentation pages of the management interface use this path of the client interface, too. */
const requestedSpec = ({ headers }: RestRequest): string =>
  String(headers.referer ?? '').includes('/edge/management/') ? 'edge-management' : 'edge-client';

@Resolver()
export class TrustResolver {
  @Rest(publicOperation('/network-jwts', 'listNetworkJWTs'))
  @Needs(OPEN)
  @Query(() => [NetworkJwt], { description: 'Tokens that introduce the network to clients.' })
  networkJwts(@Ctx() ctx: RequestContext): NetworkJwt[] {
    return [{ name: 'default', token: ctx.modules.enrollment.tokens.networkJwt() }];
  }

  @Rest({
    ...publicOperation('/.well-known/est/cacerts', 'listWellKnownCas'),
    answer: {
      kind: 'raw',
      contentType: 'application/pkcs7-mime',
      headers: { 'content-transfer-encoding': 'base64' },
    },
  })
  @Needs(OPEN)
  @Query(() => String, {
    description: 'The authorities to trust: PKCS#7 in DER, base64 in lines of 64 characters.',
  })
  authorities(@Ctx() ctx: RequestContext): string {
    return caBundlePkcs7(ctx.modules.keys.authorities);
  }

  @Rest(
    {
      ...publicOperation('/specs', 'listSpecs'),
      on: CLIENT,
      answer: specsOf((id) => id === 'edge-client'),
    },
    {
      ...publicOperation('/specs', 'listSpecs'),
      on: MANAGEMENT,
      answer: specsOf((id) => id !== 'fabric'),
    },
  )
  @Needs(OPEN)
  @Query(() => [Spec], { description: 'The descriptions of the REST interfaces.' })
  specs(@Ctx() ctx: RequestContext): readonly Spec[] {
    return ctx.modules.specs;
  }

  @Rest(
    {
      ...publicOperation('/specs/{id}', 'detailSpec'),
      answer: { kind: 'data', select: 'id name', view: specBody, schema: SPEC },
    },
    { ...publicOperation('/specs/{id}/spec', 'detailSpecBody'), answer: ANY_DOCUMENT },
    {
      ...publicOperation('/swagger.json', 'swagger'),
      on: CLIENT,
      arguments: { id: requestedSpec },
      answer: JSON_DOCUMENT,
    },
    {
      ...publicOperation('/swagger.json', 'swagger'),
      on: MANAGEMENT,
      arguments: { id: { value: 'edge-management' } },
      answer: JSON_DOCUMENT,
    },
    {
      ...publicOperation('/swagger.json', 'swagger'),
      on: FABRIC,
      arguments: { id: { value: 'fabric' } },
      answer: JSON_DOCUMENT,
    },
  )
  @Needs(OPEN)
  @Query(() => Spec, {
    nullable: true,
    description: 'One description; NOT_FOUND for an unknown id.',
  })
  spec(
    @Arg('id', () => ID, { description: '`edge-client`, `edge-management` or `fabric`.' })
    id: string,
    @Ctx() ctx: RequestContext,
  ): Spec {
    const spec = ctx.modules.specs.find((each) => each.id === id);
    if (!spec) throw notFound('spec', id);
    return spec;
  }
}
