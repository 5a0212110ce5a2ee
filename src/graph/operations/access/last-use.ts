import DataLoader from 'dataloader';
import { Ctx, Field, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { usedAccess, useRecording, type AccessKey } from '../../../data/rows/access-use/index.js';
import { may, permit } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { RestMember } from '../../../kernel/graph/rest-member.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import type { Grant } from '../../analysis/access-list.js';
import { AccessGrant } from './accesses-types.js';

/** When access was last used. Uses are data of sessions. */
const READ = may('ops', 'read');

const MAX_IN_ONE_STATEMENT = 10_000;

const keyOf = ({ identityId, serviceId, type }: AccessKey): string =>
  `${identityId} ${serviceId} ${type}`;

/** Without a cache: a list may have millions of pairs. */
const loaderOf = perRequest(
  ({ store }) =>
    new DataLoader(
      async (pairs: readonly AccessKey[]): Promise<(Date | null)[]> => {
        const rows = await usedAccess.lastUsesOf(store, pairs);
        const times = new Map(rows.map((row) => [keyOf(row), row.usedAt]));
        return pairs.map((pair) => times.get(keyOf(pair)) ?? null);
      },
      { cache: false, maxBatchSize: MAX_IN_ONE_STATEMENT },
    ),
);

@Resolver(() => AccessGrant)
export class AccessGrantLastUseResolver {
  @RestMember({ onlyWith: 'lastUse' })
  @Needs(READ)
  @FieldResolver(() => DateTime, {
    nullable: true,
    description: [
      'When it was last used: the identity got a session for the service, dialed it or began to host it.',
      'Circuits and hosting that last for long count every five minutes.',
      'Null without a use since `lastUseRecording.recordedSince`, and always for the past, in simulations and in changes of access.',
    ].join('\n'),
  })
  async lastUsedAt(@Root() grant: Grant, @Ctx() ctx: RequestContext): Promise<Date | null> {
    permit(ctx, READ);
    return grant.isPresent ? loaderOf(ctx).load(grant) : null;
  }
}

@ObjectType({ description: 'The record of when access was used.', simpleResolvers: true })
class LastUseRecording {
  @Field(() => DateTime, {
    description:
      'The time since when every use is recorded. Nothing is known of earlier uses. A restore of a snapshot begins the record anew.',
  })
  recordedSince!: Date;
}

@Resolver()
export class LastUseRecordingResolver {
  @Rest({ method: 'GET', path: '/last-use-recording', tag: 'analysis' })
  @Needs(READ)
  @Query(() => LastUseRecording, { description: 'Since when `lastUsedAt` is known.' })
  async lastUseRecording(@Ctx() { store }: RequestContext): Promise<LastUseRecording> {
    return { recordedSince: await useRecording.since(store) };
  }
}
