import DataLoader from 'dataloader';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { refuseHigherRights } from '../../../trust/auth/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import { failure, invalidField, notFound } from '../../../base/errors.js';
import { entityReference } from '../../../kernel/declare/rest.js';
import { listOf, objectOf, ref, STRING } from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { may, orOwn, permits } from '../../../kernel/declare/permissions.js';
import type { RowOf } from '../../../kernel/declare/rows.js';
import type { Transaction } from '../../../kernel/request/store-port.js';
import { currentRow, originOf, touchIn } from '../../../kernel/write/write.js';
import { configOverrides } from '../../../data/rows/service/index.js';
import { Identity } from '../../../resources/identities/identity.js';

/** Configs that replace those of a service of the same type, for one identity. */

@ObjectType({ description: 'A service by its name.', simpleResolvers: true })
class ServiceName {
  @Field(() => ID, { description: 'Id of the service.' })
  id!: string;

  @Field(() => String, { description: 'Its name.' })
  name!: string;
}

@ObjectType({ description: 'A config by its name.', simpleResolvers: true })
class ConfigName {
  @Field(() => ID, { description: 'Id of the config.' })
  id!: string;

  @Field(() => String, { description: 'Its name.' })
  name!: string;
}

@ObjectType({ description: 'A config for one service and one identity.', simpleResolvers: true })
class ServiceConfig {
  @Field(() => ServiceName, { description: 'The service.' })
  service!: ServiceName;

  @Field(() => ID, { description: 'Id of the service.' })
  serviceId!: string;

  @Field(() => ConfigName, { description: 'The config that replaces the one of the service.' })
  config!: ConfigName;

  @Field(() => ID, { description: 'Id of the config.' })
  configId!: string;
}

const SERVICE_CONFIGS = listOf(
  objectOf({
    serviceId: STRING,
    service: ref('EntityReference'),
    configId: STRING,
    config: ref('EntityReference'),
  }),
);

const serviceConfigsView = (configs: readonly ServiceConfig[]): object[] =>
  configs.map(({ service, config, ...ids }) => ({
    ...ids,
    service: { ...entityReference('services', service.id, service.name), urlName: 'services' },
    config: { ...entityReference('configs', config.id, config.name), urlName: 'configs' },
  }));

@InputType({ description: 'A config for a service.' })
class ServiceConfigInput {
  @Field(() => ID, { description: 'Id of the service.' })
  serviceId!: string;

  @Field(() => ID, { description: 'Id of the config; each service has one of each type.' })
  configId!: string;
}

@Resolver(() => Identity)
export class ServiceConfigsResolver {
  @Rest({
    method: 'GET',
    path: '/identities/{id}/service-configs',
    operationId: 'listIdentitysServiceConfigs',
    answer: { kind: 'data', view: serviceConfigsView, schema: SERVICE_CONFIGS },
  })
  @Needs(orOwn(may('service', 'read')))
  @FieldResolver(() => [ServiceConfig], {
    description: 'Configs that replace those of services for this identity.',
  })
  serviceConfigs(
    @Root() { id }: Pick<RowOf<'Identity'>, 'id'>,
    @Ctx() ctx: RequestContext,
  ): Promise<ServiceConfig[]> {
    const isOwn = ctx.caller?.identityId === id;
    if (!isOwn && !permits(ctx.caller, may('service', 'read'))) throw failure('UNAUTHORIZED');
    return loaderOf(ctx).load(id);
  }

  @Rest({
    method: 'POST',
    path: '/identities/{id}/service-configs',
    operationId: 'associateIdentitysServiceConfigs',
    arguments: { configs: 'body' },
  })
  @Needs(may('identity', 'update'))
  @Mutation(() => ID, {
    description:
      'Sets configs of services for an identity; they replace earlier ones of the same type.',
  })
  async associateServiceConfigs(
    @Arg('id', () => ID, { description: 'Id of the identity.' }) id: string,
    @Arg('configs', () => [ServiceConfigInput], { description: 'The services and their configs.' })
    configs: ServiceConfigInput[],
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    await edit(ctx, id, async (tx) => {
      for (const { serviceId, configId } of configs) {
        const configTypeId = await serviceConfigType(ctx, tx, configId);
        const lockedServices = await tx.hold(ctx.catalog.resources.Service, [serviceId]);
        if (lockedServices.length === 0) {
          throw invalidField('serviceId', 'no service found with the given id', serviceId);
        }
        await configOverrides.put(tx, { identityId: id, serviceId, configTypeId }, configId);
      }
    });
    return id;
  }

  @Rest({
    method: 'DELETE',
    path: '/identities/{id}/service-configs',
    operationId: 'disassociateIdentitysServiceConfigs',
    arguments: { configs: 'body' },
  })
  @Needs(may('identity', 'update'))
  @Mutation(() => ID, {
    description:
      'Removes such configs: for each entry the one of the same type; without entries all.',
  })
  async disassociateServiceConfigs(
    @Arg('id', () => ID, { description: 'Id of the identity.' }) id: string,
    @Arg('configs', () => [ServiceConfigInput], {
      nullable: true,
      description: 'The configs to remove; absent or empty: all.',
    })
    configs: ServiceConfigInput[] | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    await edit(ctx, id, async (tx) => {
      if (!configs || configs.length === 0) await configOverrides.removeOfIdentity(tx, id);
      for (const { serviceId, configId } of configs ?? []) {
        const configTypeId = await serviceConfigType(ctx, tx, configId);
        await configOverrides.remove(tx, { identityId: id, serviceId, configTypeId });
      }
    });
    return id;
  }
}

/** One statement reads the configs of all identities of a page. */
const loaderOf = perRequest(
  (ctx) => new DataLoader((ids: readonly string[]) => readConfigs(ctx, ids), { cache: false }),
);

async function readConfigs(
  ctx: RequestContext,
  identities: readonly string[],
): Promise<ServiceConfig[][]> {
  const overrides = await configOverrides.named(ctx.store, identities);
  const byIdentity = new Map<string, ServiceConfig[]>();
  for (const { identityId, serviceId, serviceName, configId, configName } of overrides) {
    const configs = byIdentity.get(identityId) ?? [];
    configs.push({
      serviceId,
      service: { id: serviceId, name: serviceName },
      configId,
      config: { id: configId, name: configName },
    });
    byIdentity.set(identityId, configs);
  }
  return identities.map((id) => byIdentity.get(id) ?? []);
}

async function edit(
  ctx: RequestContext,
  id: string,
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const identities = ctx.catalog.resources.Identity;
  await ctx.store.write(originOf(ctx), async (tx) => {
    const current = await currentRow(tx, identities, id);
    refuseHigherRights(ctx, current);
    const before = await configOverrides.ofIdentity(tx, id);
    await work(tx);
    const after = await configOverrides.ofIdentity(tx, id);
    await touchIn(tx, identities, current, { serviceConfigs: before }, { serviceConfigs: after });
  });
}

/** Gives the type of a config; it must be a type for services. */
async function serviceConfigType(
  ctx: RequestContext,
  tx: Transaction,
  configId: string,
): Promise<string> {
  const [config] = await tx.find(ctx.catalog.resources.Config, { id: configId });
  if (!config) throw notFound('config', configId);
  const [type] = await tx.find(ctx.catalog.resources.ConfigType, { id: config.configTypeId });
  if (type?.target !== 'service') {
    throw invalidField('configId', 'configs of this type are not for a service', configId);
  }
  return config.configTypeId;
}
