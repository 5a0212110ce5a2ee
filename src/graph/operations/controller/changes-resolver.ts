import type { GraphQLResolveInfo } from 'graphql';
import { isPlace } from '../../../access/analysis/index.js';
import { Arg, Ctx, ID, Info, Resolver, Root, Subscription, type ClassType } from 'type-graphql';
import type { ChangeFollower } from '../../../data/changes/index.js';
import { changedFields, type ChangedValue } from '../../../data/changes/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/row.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { may } from '../../../kernel/declare/permissions.js';
import { isBareReference, requested } from '../../../kernel/read/selection.js';
import type { LoggedChange } from '../../../kernel/request/store-port.js';
import { Change, changeTypes, readableTypes } from '../../../resources/index.js';
import type { SubscriptionContext } from '../../subscriptions/subscriber.js';
import { subscription } from '../../subscriptions/subscription-source.js';

interface ChangesArguments {
  readonly types?: readonly string[] | null;
  readonly since?: string | null;
}

/** Follows the change log, of the requested types that the caller may read. */
async function followChanges(
  { types, since }: ChangesArguments,
  ctx: SubscriptionContext,
): Promise<ChangeFollower> {
  const unknownType = types?.find((type) => !changeTypes(ctx).has(type));
  if (unknownType !== undefined)
    throw invalidField('types', 'is no type of the change log', unknownType);
  if (since && !isPlace(since)) throw invalidField('since', 'is no id of a change', since);
  const { subscriber } = ctx;
  const requestedTypes = types ? new Set(types) : undefined;
  let cachedTypes: { caller: unknown; types: ReadonlySet<string> | undefined } | undefined;
  const readable = (): ReadonlySet<string> | undefined => {
    const { caller } = subscriber;
    if (!cachedTypes || cachedTypes.caller !== caller)
      cachedTypes = { caller, types: readableTypes(ctx) };
    return cachedTypes.types;
  };
  const follower = await ctx.modules.changeStream.follow({
    since: since ?? undefined,
    wants: ({ resource }) =>
      (requestedTypes?.has(resource) ?? true) && (readable()?.has(resource) ?? true),
    onStalled: subscriber.cutOff,
  });
  return subscriber.ending(follower);
}

/** The view of a change in lists. */
export interface ListedChange extends Omit<LoggedChange, 'actor'> {
  readonly type: string;
  readonly entityId: string;
  readonly entityName: string | null;
  readonly actor: LoggedChange['actor'] | undefined;
  readonly fields: readonly ChangedValue[];
}

export function shownChange(change: LoggedChange, info: GraphQLResolveInfo): ListedChange {
  const { fields } = requested(info);
  const actor = fields.get('actor');
  const { before, after } = change;
  return {
    ...change,
    id: change.cursor,
    type: change.resource,
    entityId: change.id,
    entityName: nameIn(after) ?? nameIn(before),
    // An actor with more than id and name is read like any other entity.
    actor: actor && isBareReference(info, actor) ? change.actor : undefined,
    fields: fields.has('fields') ? changedFields(before, after) : [],
  };
}

const nameIn = (state: JsonObject | null): string | null =>
  typeof state?.name === 'string' ? state.name : null;

@Resolver()
export class ChangesResolver {
  @Needs(may('change', 'read'))
  @Subscription(() => Change as ClassType, {
    description:
      'Every change of the network in the order of the log, from now on or after the change that `since` names: none is missing, none comes twice. A subscriber that reads nothing for 30 s is cut off with SUBSCRIBER_TOO_SLOW and the `cursor` to resume from.',
    subscribe: subscription(followChanges),
  })
  changes(
    @Root() change: LoggedChange,
    @Arg('types', () => [String], {
      nullable: true,
      description: 'Only changes of these types; default: all types that the caller may read.',
    })
    _types: string[] | null,
    @Arg('since', () => ID, {
      nullable: true,
      description: 'Id of the last change that the client has received.',
    })
    _since: string | null,
    @Ctx() _ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): ListedChange {
    return shownChange(change, info);
  }
}
