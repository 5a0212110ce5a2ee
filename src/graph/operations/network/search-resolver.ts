import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { invalidField } from '../../../base/errors.js';
import { textsOf } from '../../../base/row.js';
import { SESSION } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Node } from '../../../kernel/graph/node.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { decodeCursor, Page, type PageNode } from '../../../kernel/read/connection.js';
import { windowOf } from '../../../kernel/read/listing.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import {
  MAX_COUNTED,
  RANKS,
  type Hit,
  type Hits,
  type Place,
} from '../../../inventory/search/index.js';
import { readNode, type AnyEntity } from './node-resolver.js';
import { SearchArgs, SearchHit, SearchHitConnection } from './search-types.js';

/** As much as a condition on linked entities: both are evaluated for every entity. */
const COST = 1_000;

const KEYS = 4;

/** A page of hits, counted up to a bound. */
class SearchPage extends Page {
  constructor(
    rows: readonly PageNode[],
    { count, isCountExact }: Hits,
    window: ConstructorParameters<typeof Page>[2],
    after: string | undefined,
  ) {
    super(rows, count, window, KEYS, { after });
    this.isTotalExact = isCountExact;
  }

  readonly isTotalExact: boolean;
}

const nodeOf = ({ place, name, matchedBy, matchedText, tag }: Hit): SearchHit & PageNode => ({
  type: place.type,
  entityId: place.id,
  name,
  matchedBy,
  matchedText,
  tag,
  '#s0': place.rank,
  '#s1': place.name,
  '#s2': place.id,
  '#s3': place.type,
});

function placeOf(cursor: string): Place {
  const [rank, ...texts] = decodeCursor('after', cursor, KEYS);
  const [name, id, type] = textsOf(texts);
  const isRank = typeof rank === 'number' && Number.isInteger(rank) && rank >= 0 && rank < RANKS;
  if (isRank && name !== undefined && id !== undefined && type !== undefined) {
    return { rank, name, id, type };
  }
  throw invalidField('after', 'not a cursor of a search', cursor);
}

@Resolver()
export class SearchResolver {
  @Rest({
    method: 'GET',
    path: '/search',
    summary:
      'Finds entities of all types by a text, the best hits first. It is read by pages: a limit of -1 is refused.',
    answer: {
      kind: 'list',
      select: 'type id: entityId name matchedBy matchedText tag',
    },
  })
  @Needs(SESSION)
  @Runs({ lane: 'background', cost: COST })
  @Query(() => SearchHitConnection, {
    description:
      'Entities of all types by a text, in upper or lower case: by name, id, external id, role attributes and tags. The best hits come first: the id, the name, an external id or a role as a whole; names that begin with the text; names with a word that begins with it; other names with the text; the rest. Hits of one kind are ordered by name and id, by bytes.',
  })
  async search(
    @Args(() => SearchArgs) { text, types, ...args }: SearchArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<Page> {
    const window = windowOf({}, args);
    const { limit, offset } = window;
    if (limit === 'none') throw invalidField('limit', 'is not to be had without limit here', -1);
    if (offset > MAX_COUNTED) {
      throw invalidField('offset', `is at most ${String(MAX_COUNTED)}: use after`, offset);
    }
    const after = args.after ? placeOf(args.after) : undefined;
    const answer = await ctx.modules.search.find(ctx, { text, types }, { after, offset, limit });
    const nodes: readonly PageNode[] = answer.hits.map(nodeOf);
    // A row beyond the page shows that more follow.
    return answer.hasMore
      ? new SearchPage([...nodes, {}], answer, { ...window, limit: nodes.length }, args.after)
      : new SearchPage(nodes, answer, window, args.after);
  }
}

@Resolver(() => SearchHit)
export class SearchHitResolver {
  @FieldResolver(() => Node, {
    nullable: true,
    description: 'The entity; null if it was deleted at this moment.',
  })
  async node(
    @Root() { type, entityId }: SearchHit,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AnyEntity | null> {
    return (await readNode(ctx, ctx.catalog.get(type), entityId, info)) ?? null;
  }
}
