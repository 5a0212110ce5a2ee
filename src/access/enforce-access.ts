import type { RequestContext } from '../kernel/request/context.js';
import type { Store } from '../kernel/request/store-port.js';
import { deleteIn, originOf } from '../kernel/write/write.js';
import type { Bitset, PolicyIndex } from '../policy/index.js';
import { judgeAccess, type AccessQuestion, type JudgeDependencies } from './judge-access.js';
import { nextSessions, type SessionRow } from './session-table.js';

/** Above this number of identities, reading every session is cheaper than selecting theirs. */
const MANY = 2_000;
const PAGE = 5_000;

/** A service session, with the facts that its access depends on. */
export interface SessionUse extends AccessQuestion {
  readonly id: string;
}

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
    const sessions = ctx.catalog.resources.Session;
    await this.dependencies.store.write(originOf(ctx), async (tx) => {
      await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id: [...ids] }));
    });
  }
}

/** Gives the sessions that policies or posture do not allow, page by page. */
export async function* sessionsWithoutAccess(
  dependencies: JudgeDependencies & { readonly store: Pick<Store, 'query'> },
  now: () => number,
  among?: readonly string[],
  identityIds?: ReadonlySet<string>,
): AsyncGenerator<SessionUse[]> {
  for (let after = ''; ;) {
    const rows = await nextSessions(dependencies.store, { after, limit: PAGE }, among);
    const sessions = rows.map(sessionUseOf).filter((s) => identityIds?.has(s.identityId) ?? true);
    const access = await judgeAccess(dependencies, sessions, now());
    yield sessions.filter((_, i) => access[i]?.isPassing !== true);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

const sessionUseOf = (row: SessionRow): SessionUse => ({
  id: row.id,
  apiSessionId: row.api_session_id,
  identityId: row.identity_id,
  serviceId: row.service_id,
  type: row.type,
});
