import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  ID,
  Info,
  InputType,
  Int,
  Mutation,
  Query,
  Resolver,
} from 'type-graphql';
import { controllerSettings } from '../../../data/rows/controller/index.js';
import { invalidField, notFound } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/row.js';
import { ADMIN, may } from '../../../kernel/declare/permissions.js';
import { link } from '../../../kernel/declare/rest.js';
import {
  listOf,
  objectOf,
  ref,
  STRING,
  TIME,
  type Schema,
} from '../../../kernel/declare/rest-schema.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest, type RestAnswer } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { change, createIn, nextRevision, originOf, remove } from '../../../kernel/write/write.js';
import { ControllerSetting } from '../../../resources/controllers/controller-setting.js';
import { readOwn } from '../../own.js';

@InputType({ description: 'The settings of the OpenID provider.' })
class ControllerSettingOidcInput {
  @Field(() => [String], {
    nullable: true,
    description: 'Further addresses that get the answer to a login.',
  })
  redirectUris?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Further addresses to go to after the end of a session.',
  })
  postLogoutUris?: string[] | null;
}

/** An input object would be the whole body otherwise. */
const OIDC_MEMBER = { member: 'oidc' } as const;
const PATH = '/controller-settings/{id}/effective';
const ID_TEXT = 'Id of the controller, or `global`.';
const OIDC_TEXT = 'The settings of the OpenID provider.';
const REVISION_TEXT = 'Refuses with REVISION_CONFLICT if the settings now have another revision.';
const TAGS_TEXT = 'Free names with values of null, string, number or boolean.';

const ADDRESSES = { redirectUris: listOf(STRING), postLogoutUris: listOf(STRING) };
const MAP: Schema = { type: 'object' };
const LISTS = '{ redirectUris postLogoutUris }';

interface SelectedSettings {
  readonly id: string;
  readonly oidc: Readonly<Record<string, readonly string[] | null>>;
  readonly effectiveOidc: JsonObject;
}

/** The settings that count, beside those of the controller itself. */
const EFFECTIVE: RestAnswer = {
  kind: 'data',
  select: `id createdAt updatedAt tags oidc ${LISTS} effectiveOidc ${LISTS}`,
  view: ({ oidc, effectiveOidc, ...base }: SelectedSettings) => ({
    _links: { self: link(`controller-settings/${base.id}`) },
    ...base,
    effective: { oidc: effectiveOidc },
    instance: { oidc: Object.fromEntries(Object.entries(oidc).filter(([, list]) => list)) },
  }),
  schema: objectOf({
    ...{ _links: ref('Links'), id: STRING, createdAt: TIME, updatedAt: TIME, tags: MAP },
    effective: objectOf({ oidc: objectOf(ADDRESSES) }),
    instance: objectOf({ oidc: objectOf(ADDRESSES, []) }),
  }),
};

type Oidc = ControllerSettingOidcInput | null | undefined;
type Tags = JsonObject | null | undefined;
type IfRevision = number | null | undefined;

const valuesOf = (oidc: Oidc, tags: Tags): JsonObject => ({
  ...(oidc ? { oidc: Object.assign({}, oidc) } : {}),
  ...(tags ? { tags } : {}),
});

/** The arguments of both writes of settings that exist. */
@ArgsType()
class ChangedSettings {
  @Field(() => ID, { description: ID_TEXT })
  id!: string;

  @Field(() => ControllerSettingOidcInput, { nullable: true, description: OIDC_TEXT })
  oidc?: Oidc;

  @Field(() => GraphQLJSONObject, { nullable: true, description: TAGS_TEXT })
  tags?: Tags;

  @Field(() => Int, { nullable: true, description: REVISION_TEXT })
  ifRevision?: IfRevision;
}

async function write(
  ctx: RequestContext,
  verb: 'replace' | 'update',
  { id, oidc, tags, ifRevision }: ChangedSettings,
  info: GraphQLResolveInfo,
): Promise<SelectedOf<'ControllerSetting'> | undefined> {
  const { ControllerSetting: settings } = ctx.catalog.resources;
  await change(ctx, settings, verb, id, valuesOf(oidc, tags), ifRevision);
  return readOwn(ctx, 'ControllerSetting', id, info);
}

@Resolver()
export class ControllerSettingsResolver {
  @Rest({
    method: 'GET',
    path: PATH,
    operationId: 'detailControllerSettingEffective',
    answer: EFFECTIVE,
  })
  @Needs(may('admin', 'read'))
  @Query(() => ControllerSetting, {
    nullable: true,
    description: 'The settings of a controller with those that count there.',
  })
  async effectiveControllerSetting(
    @Arg('id', () => ID, { description: ID_TEXT }) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'ControllerSetting'>> {
    const settings = await readOwn(ctx, 'ControllerSetting', id, info);
    if (!settings) throw notFound(ctx.catalog.resources.ControllerSetting.label, id);
    return settings;
  }

  @Rest({
    method: 'POST',
    path: '/controller-settings',
    operationId: 'createControllerSetting',
    arguments: { oidc: OIDC_MEMBER },
    answer: { kind: 'created', collection: 'controller-settings' },
  })
  @Needs(ADMIN)
  @Mutation(() => ControllerSetting, {
    description:
      'Gives a controller settings of its own, which count there instead of the global ones.',
  })
  async addControllerSetting(
    @Arg('controllerId', () => ID, { description: 'Id of the controller.' }) controllerId: string,
    @Arg('oidc', () => ControllerSettingOidcInput, { nullable: true, description: OIDC_TEXT })
    oidc: Oidc,
    @Arg('tags', () => GraphQLJSONObject, { nullable: true, description: TAGS_TEXT }) tags: Tags,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'ControllerSetting'> | undefined> {
    const { ControllerSetting: settings } = ctx.catalog.resources;
    await ctx.store.write(originOf(ctx), async (tx) => {
      if (!(await controllerSettings.isController(tx, controllerId))) {
        throw invalidField('controllerId', 'must be the id of a controller', controllerId);
      }
      if ((await tx.find(settings, { id: controllerId })).length > 0) {
        throw invalidField('controllerId', 'has settings already', controllerId);
      }
      const revision = await nextRevision(tx, settings, controllerId);
      await createIn(ctx, tx, settings, valuesOf(oidc, tags), { id: controllerId, revision });
    });
    return readOwn(ctx, 'ControllerSetting', controllerId, info);
  }

  @Rest({
    method: 'PUT',
    path: PATH,
    operationId: 'updateControllerSetting',
    arguments: { oidc: OIDC_MEMBER, ifRevision: 'default' },
  })
  @Needs(ADMIN)
  @Mutation(() => ControllerSetting, { description: 'Replaces the settings of a controller.' })
  setControllerSetting(
    @Args(() => ChangedSettings) changed: ChangedSettings,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'ControllerSetting'> | undefined> {
    return write(ctx, 'replace', changed, info);
  }

  @Rest({
    method: 'PATCH',
    path: PATH,
    operationId: 'patchControllerSetting',
    arguments: { oidc: OIDC_MEMBER, ifRevision: 'default' },
  })
  @Needs(ADMIN)
  @Mutation(() => ControllerSetting, {
    description:
      'Changes the settings of a controller that are named; null: those of the global ones.',
  })
  changeControllerSetting(
    @Args(() => ChangedSettings) changed: ChangedSettings,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'ControllerSetting'> | undefined> {
    return write(ctx, 'update', changed, info);
  }

  @Rest({
    method: 'DELETE',
    path: PATH,
    operationId: 'deleteControllerSetting',
    arguments: { ifRevision: 'default' },
    errors: [409],
  })
  @Needs(ADMIN)
  @Mutation(() => ID, {
    description: 'Deletes the settings of a controller, so that the global ones count there.',
  })
  async removeControllerSetting(
    @Arg('id', () => ID, { description: ID_TEXT }) id: string,
    @Arg('ifRevision', () => Int, { nullable: true, description: REVISION_TEXT })
    ifRevision: IfRevision,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    await remove(ctx, ctx.catalog.resources.ControllerSetting, id, ifRevision);
    return id;
  }
}
