import { ModelOverlay, rowChangeOf } from '../analysis/index.js';
import { deciding } from '../../kernel/declare/decisions.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { sessions, type ServiceSession } from '../../data/rows/session/index.js';
import type { Change, Rows, Store, Transaction } from '../../kernel/request/store-port.js';
import { deleteIn, originOf } from '../../kernel/write/write.js';
import type { Bitset, PolicyIndex } from '../../kernel/policy/index.js';
import type { Access, PostureChecks } from '../../trust/posture/index.js';
import { judgeAccess, judgeIn, type JudgeDependencies } from './judge-access.js';
import type { RecentChanges } from './latest-states.js';
import { NOT_NARROWED, narrowedBy, type IsNarrowed } from './narrowed-posture.js';
import type { PostureLosses } from './posture-losses.js';

/** Above this number of identities, reading every session is cheaper than selecting theirs. */
const MANY = 2_000;
const PAGE = 5_000;

interface EnforcerDependencies extends JudgeDependencies {
  readonly store: Store;
  readonly index: PolicyIndex;
  readonly checks: PostureChecks;
  readonly recent: RecentChanges;
  readonly losses: PostureLosses;
  /** Makes a context for work of the controller itself. */
  readonly context: () => RequestContext;
}

/** Ends sessions that policies or posture no longer allow. */
export class AccessEnforcer {
  constructor(private readonly dependencies: EnforcerDependencies) {}

  /** Checks the sessions of these identities, by ordinal, after changes that may have taken their access. */
  async enforce(identities: Bitset, changes: readonly Change[]): Promise<void> {
    const { index } = this.dependencies;
    const count = identities.popcount();
    if (count === 0) return;
    const among = count > MANY ? undefined : index.idsOf('identity', identities);
    await this.#sweep(narrowedBy(changes, this.dependencies), {
      among,
      has: (identityId) => {
        const ordinal = index.ordinalOf('identity', identityId);
        return ordinal !== undefined && identities.has(ordinal);
      },
    });
  }

  /** Checks every session. */
  async enforceAll(): Promise<void> {
    await this.#sweep(NOT_NARROWED, EVERYBODY);
  }

  async #sweep(isNarrowed: IsNarrowed, owners: SessionOwners): Promise<void> {
    const now = (): number => this.dependencies.context().now().getTime();
    for await (const { ended, unfit } of sessionsWithoutAccess(this.dependencies, now, owners)) {
      this.dependencies.losses.tell(unfit);
      // The client opens a session anew, and its router judges posture at the next dial.
      await this.#end([...ended, ...unfit.filter(isNarrowed)], isNarrowed);
    }
  }

  async #end(ended: readonly ServiceSession[], isNarrowed: IsNarrowed): Promise<void> {
    if (ended.length === 0) return;
    const ctx = this.dependencies.context();
    const resource = ctx.catalog.resources.Session;
    await this.dependencies.store.write(originOf(ctx), async (tx) => {
      const stillEnded = await this.#judgeAgain(ctx, tx, ended, isNarrowed);
      const id = stillEnded.map((session) => session.id);
      await deleteIn(ctx, tx, resource, await tx.find(resource, { id }));
    });
  }

  /** Another controller may have opened a session by what the memory of this one has not read. */
  async #judgeAgain(
    ctx: RequestContext,
    tx: Transaction,
    ended: readonly ServiceSession[],
    isNarrowed: IsNarrowed,
  ): Promise<readonly ServiceSession[]> {
    const { index, recent } = this.dependencies;
    const decisive = [...deciding(ctx.catalog, 'reach'), ...deciding(ctx.catalog, 'posture')];
    const changes = await recent(tx, decisive);
    if (changes.length === 0) return ended;
    const model = new ModelOverlay(index);
    for (const row of changes.flatMap((change) => rowChangeOf(change) ?? [])) model.apply(row);
    const judge = judgeIn(model, changes, this.dependencies);
    const access = await judgeAccess(judge, ended, ctx.now().getTime());
    const { ended: withoutAccess, unfit } = lostAmong(ended, access);
    return [...withoutAccess, ...unfit.filter(isNarrowed)];
  }
}

/** Sessions that policies or posture do not allow. */
interface LostSessions {
  readonly ended: readonly ServiceSession[];
  /** Posture fails, but routers may judge it otherwise. */
  readonly unfit: readonly ServiceSession[];
}

function lostAmong(
  sessions: readonly ServiceSession[],
  access: readonly (Access | undefined)[],
): LostSessions {
  const ended: ServiceSession[] = [];
  const unfit: ServiceSession[] = [];
  for (const [i, session] of sessions.entries()) {
    if (access[i]?.isPassing === true) continue;
    (session.isOpenId && access[i] ? unfit : ended).push(session);
  }
  return { ended, unfit };
}

/** The identities whose sessions are looked at. */
interface SessionOwners {
  /** Their ids, for the database; undefined: all sessions are read, and those of others passed over. */
  readonly among: readonly string[] | undefined;
  readonly has: (identityId: string) => boolean;
}

const EVERYBODY: SessionOwners = { among: undefined, has: () => true };

/** Gives the sessions that policies or posture do not allow, page by page. */
export async function* sessionsWithoutAccess(
  dependencies: JudgeDependencies & { readonly store: Rows },
  now: () => number,
  { among, has } = EVERYBODY,
): AsyncGenerator<LostSessions> {
  for (let after = ''; ;) {
    const page = await sessions.next(dependencies.store, { after, limit: PAGE }, among);
    const uses = page.filter(({ identityId }) => has(identityId));
    const access = await judgeAccess(dependencies, uses, now());
    yield lostAmong(uses, access);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.id;
  }
}
