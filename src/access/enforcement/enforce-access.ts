import type { RequestContext } from '../../kernel/request/context.js';
import { sessions, type ServiceSession } from '../../data/rows/session/index.js';
import type { Rows, Store } from '../../kernel/request/store-port.js';
import { deleteIn, originOf } from '../../kernel/write/write.js';
import type { Bitset, PolicyIndex } from '../../kernel/policy/index.js';
import { judgeAccess, type JudgeDependencies } from './judge-access.js';

/** Above this number of identities, reading every session is cheaper than selecting theirs. */
const MANY = 2_000;
const PAGE = 5_000;

interface EnforcerDependencies extends JudgeDependencies {
  readonly store: Store;
  readonly index: PolicyIndex;
  /** Makes a context for work of the controller itself. */
  readonly context: () => RequestContext;
}

/** Ends sessions that policies or posture no longer allow. */
export class AccessEnforcer {
  constructor(private readonly dependencies: EnforcerDependencies) {}

  /** Checks the sessions of these identities, by ordinal. */
  async enforce(identities: Bitset): Promise<void> {
    const ids = this.dependencies.index.idsOf('identity', identities);
    if (ids.length === 0) return;
    const among = ids.length > MANY ? undefined : ids;
    await this.#sweep(among, new Set(ids));
  }

  /** Checks every session. */
  async enforceAll(): Promise<void> {
    await this.#sweep(undefined, undefined);
  }

  async #sweep(
    among: readonly string[] | undefined,
    identityIds: ReadonlySet<string> | undefined,
  ): Promise<void> {
    const now = (): number => this.dependencies.context().now().getTime();
    for await (const ended of sessionsWithoutAccess(this.dependencies, now, among, identityIds)) {
      await this.#end(ended.map(({ id }) => id));
    }
  }

  async #end(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const ctx = this.dependencies.context();
    const resource = ctx.catalog.resources.Session;
    await this.dependencies.store.write(originOf(ctx), async (tx) => {
      await deleteIn(ctx, tx, resource, await tx.find(resource, { id: [...ids] }));
    });
  }
}

/** Gives the sessions that policies or posture do not allow, page by page. */
export async function* sessionsWithoutAccess(
  dependencies: JudgeDependencies & { readonly store: Rows },
  now: () => number,
  among?: readonly string[],
  identityIds?: ReadonlySet<string>,
): AsyncGenerator<ServiceSession[]> {
  for (let after = ''; ;) {
    const page = await sessions.next(dependencies.store, { after, limit: PAGE }, among);
    const uses = page.filter((s) => identityIds?.has(s.identityId) ?? true);
    const access = await judgeAccess(dependencies, uses, now());
    yield uses.filter((_, i) => access[i]?.isPassing !== true);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.id;
  }
}
