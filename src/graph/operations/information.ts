import { GraphQLJSONObject } from 'graphql-scalars';
import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../kernel/context.js';
import { Needs } from '../../kernel/needs.js';
import { Runs } from '../../kernel/pace.js';
import { OPEN } from '../../kernel/permissions.js';
import { FACTS } from '../facts.js';

const CLIENT = '/edge/client/v1';
const MANAGEMENT = '/edge/management/v1';
const HEALTH = '/health-checks/v1';

@ObjectType({ description: 'What this controller is and serves.', simpleResolvers: true })
export class Version {
  @Field(() => String, { description: 'When it was built.' })
  buildDate!: string;

  @Field(() => String, { description: 'Source revision.' })
  revision!: string;

  @Field(() => String, { description: 'Version of Node.js.' })
  runtimeVersion!: string;

  @Field(() => String, { description: 'Version, with a leading `v`.' })
  version!: string;

  @Field(() => [String], { description: 'Optional abilities that are switched on.' })
  capabilities!: string[];

  @Field(() => GraphQLJSONObject, {
    description: 'Interface -> version -> `{path, apiBaseUrls, version}`.',
  })
  apiVersions!: object;
}

@Resolver()
export class InformationResolver {
  /** C SDKs read the key `edge`, others `edge-client`: both name the client interface. */
  @Runs({ lane: 'first' })
  @Needs(OPEN)
  @Query(() => Version, { description: 'What this controller is and serves.' })
  version(@Ctx() ctx: RequestContext): Version {
    const { advertise, version, revision, buildDate } = ctx.modules.get(FACTS);
    const served = (path: string) => ({
      v1: { apiBaseUrls: [`https://${advertise}${path}`], path, version: 'v1' },
    });
    return {
      buildDate,
      revision,
      runtimeVersion: process.version,
      version,
      capabilities: [],
      apiVersions: {
        edge: served(CLIENT),
        'edge-client': served(CLIENT),
        'edge-management': served(MANAGEMENT),
        'health-checks': served(HEALTH),
      },
    };
  }

  @Needs(OPEN)
  @Query(() => [String], { description: 'Every ability that this build knows, on or off.' })
  capabilities(): string[] {
    return ['OIDC_AUTH', 'HA_CONTROLLER'];
  }

  @Needs(OPEN)
  @Query(() => GraphQLJSONObject, { description: 'Protocol -> `{address}` of the interfaces.' })
  protocols(@Ctx() ctx: RequestContext): object {
    return { https: { address: ctx.modules.get(FACTS).advertise } };
  }
}
