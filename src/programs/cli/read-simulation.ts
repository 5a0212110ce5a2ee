import type {
  EffectCounts,
  EffectLists,
  IdentityRouters,
  ServiceRouters,
  SharedRouters,
} from '../emitted/operations.js';
import { MAX_PER_PAGE, type Connection, type List } from './read-pages.js';

/** The page of every list of an effect. */
interface EffectPage {
  readonly first: number;
  readonly offset: number;
}

type Effect = EffectLists & EffectCounts;

/** How to ask about changes: for the whole effect, or for a further page of its lists. */
export interface EffectReader {
  readonly effect: (page: EffectPage) => Promise<Effect>;
  readonly lists: (page: EffectPage) => Promise<EffectLists>;
}

interface Both<T> {
  readonly gained: T;
  readonly lost: T;
}

/** Two ends of which one reaches the other; each kind of list has two of them. */
export type ReachPair = Partial<
  (IdentityRouters & ServiceRouters & SharedRouters)['nodes'][number]
>;

const FEW = 25;

/** The effect of changes, with the first of each list or all of it. */
export async function readSimulation({ effect, lists }: EffectReader, isAll: boolean) {
  const first = isAll ? MAX_PER_PAGE : FEW;
  const begin = await effect({ first, offset: 0 });
  const pages: EffectLists[] = [begin];
  let last: EffectLists = begin;
  while (isAll && hasMore(last)) {
    last = await lists({ first, offset: pages.length * first });
    pages.push(last);
  }
  const whole = <T>(of: (page: EffectLists) => Both<Connection<T>>): Both<List<T>> => ({
    gained: joined(pages.map((page) => of(page).gained)),
    lost: joined(pages.map((page) => of(page).lost)),
  });
  return {
    ...begin,
    ...whole((page) => page),
    identityRouters: whole(({ identityRouters }) => identityRouters),
    serviceRouters: whole(({ serviceRouters }) => serviceRouters),
    sharedRouters: whole(({ sharedRouters }) => sharedRouters),
  };
}

export type Simulation = Awaited<ReturnType<typeof readSimulation>>;

const hasMore = (lists: EffectLists): boolean =>
  [lists, lists.identityRouters, lists.serviceRouters, lists.sharedRouters].some(
    ({ gained, lost }) => gained.pageInfo.hasNextPage || lost.pageInfo.hasNextPage,
  );

const joined = <T>(pages: readonly Connection<T>[]): List<T> => ({
  totalCount: pages[0]?.totalCount ?? 0,
  nodes: pages.flatMap(({ nodes }) => nodes),
});
