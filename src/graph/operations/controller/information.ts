import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { BASE_PATHS } from '../../../base/interface-paths.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { withProperties } from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { CLIENT, Rest, type RestAnswer } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { OPEN } from '../../../kernel/declare/permissions.js';
import { ProtocolAddress, protocolAddresses } from '../../../resources/routers/protocol-address.js';
import { OIDC_PATH } from '../../../trust/oidc/index.js';
import { CAPABILITIES } from '../../graph-modules.js';
import { publicOperation } from './public-operation.js';

const HEALTH = '/health-checks/v1';

@ObjectType({ description: 'One version of an interface.', simpleResolvers: true })
class ApiVersion {
  @Field(() => String, {
    description:
      'The interface: `edge-client` (also `edge`), `edge-management`, `edge-oidc`, `fabric`, `health-checks`.',
  })
  api!: string;

  @Field(() => String, { description: 'The version: `v1`.' })
  version!: string;

  @Field(() => String, { description: 'Path that all of its addresses begin with.' })
  path!: string;

  @Field(() => [String], { description: 'URLs of it, with the path.' })
  apiBaseUrls!: readonly string[];
}

@ObjectType({
  description: 'The version and the interfaces of this controller.',
  simpleResolvers: true,
})
class Version {
  @Field(() => String, { description: 'Time of the build.' })
  buildDate!: string;

  @Field(() => String, { description: 'Source revision.' })
  revision!: string;

  @Field(() => String, { description: 'Version of Node.js.' })
  runtimeVersion!: string;

  @Field(() => String, { description: 'Version, with a leading `v`.' })
  version!: string;

  @Field(() => [String], { description: 'Enabled optional capabilities.' })
  capabilities!: readonly string[];

  @Field(() => [ApiVersion], { description: 'The interfaces that it serves.' })
  apiVersions!: readonly ApiVersion[];
}

/** REST clients find versions by their interfaces. */
const VERSION: RestAnswer = {
  kind: 'data',
  view: ({ apiVersions, ...others }: Version) => ({
    ...others,
    apiVersions: Object.fromEntries(
      apiVersions.map(({ api, version, path, apiBaseUrls }) => [
        api,
        { [version]: { apiBaseUrls, path, version } },
      ]),
    ),
  }),
  schema: (selected) =>
    withProperties(selected, {
      apiVersions: { type: 'object', additionalProperties: { type: 'object' } },
    }),
};

const ADDRESSES: RestAnswer = {
  kind: 'data',
  view: (addresses: readonly ProtocolAddress[]) =>
    Object.fromEntries(addresses.map(({ protocol, address }) => [protocol, { address }])),
  schema: { type: 'object', additionalProperties: { type: 'object' } },
};

@Resolver()
export class InformationResolver {
  /** C SDKs read the key `edge`, others `edge-client`: both name the client interface. */
  @Rest(
    { ...publicOperation('/', 'listRoot'), answer: VERSION },
    { ...publicOperation('/version', 'listVersion'), answer: VERSION },
  )
  @Runs({ lane: 'first' })
  @Needs(OPEN)
  @Query(() => Version, { description: 'The version and the interfaces of this controller.' })
  version(@Ctx() ctx: RequestContext): Version {
    const { advertise, version, revision, buildDate, capabilities } = ctx.modules.facts;
    const apiVersion = (api: string, path: string): ApiVersion => ({
      api,
      version: 'v1',
      path,
      apiBaseUrls: [`https://${advertise}${path}`],
    });
    return {
      buildDate,
      revision,
      runtimeVersion: process.version,
      version,
      capabilities,
      apiVersions: [
        apiVersion('edge', BASE_PATHS.client),
        apiVersion('edge-client', BASE_PATHS.client),
        apiVersion('edge-management', BASE_PATHS.management),
        apiVersion('fabric', BASE_PATHS.fabric),
        // SDKs fail on a provider without the capability, and on the capability without a provider.
        ...(capabilities.includes('OIDC_AUTH') ? [apiVersion('edge-oidc', OIDC_PATH)] : []),
        apiVersion('health-checks', HEALTH),
      ],
    };
  }

  @Rest(publicOperation('/enumerated-capabilities', 'listEnumeratedCapabilities'))
  @Needs(OPEN)
  @Query(() => [String], { description: 'All capabilities of this build, enabled or not.' })
  capabilities(): string[] {
    return [...CAPABILITIES];
  }

  @Rest({ ...publicOperation('/protocols', 'listProtocols'), on: CLIENT, answer: ADDRESSES })
  @Needs(OPEN)
  @Query(() => [ProtocolAddress], { description: 'The addresses of the interfaces.' })
  protocols(@Ctx() ctx: RequestContext): ProtocolAddress[] {
    return protocolAddresses({ https: ctx.modules.facts.advertise });
  }
}
