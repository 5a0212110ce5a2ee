import type { RequestContext } from '../kernel/context.js';
import { idOf, type Row } from '../kernel/row.js';
import { sql, type Sql } from '../kernel/sql.js';
import type { Store } from '../kernel/store-port.js';
import { deleteIn, originOf } from '../kernel/write.js';
import type { Bitset, ServicePolicyType } from '../policy/index.js';
import { judgeAccess, type AccessQuestion, type JudgeParts } from './judge-access.js';

/** Above so many identities it is cheaper to look at every session than to ask for theirs. */
const MANY = 2_000;
const PAGE = 5_000;

interface Held extends AccessQuestion {
  readonly id: string;
}

interface Parts extends JudgeParts {
  readonly store: Store;
  /** In the name of the controller itself. */
  readonly context: () => RequestContext;
}

/** Ends sessions that policies or posture no longer allow. */
export class AccessEnforcer {
  constructor(private readonly parts: Parts) {}

  /** Looks at the sessions of these identities, by ordinal. */
  async enforce(identities: Bitset): Promise<void> {
    const ids = this.parts.index.idsOf('identity', identities);
    if (ids.length === 0) return;
    const among = ids.length > MANY ? undefined : ids;
    await this.#sweep(among, new Set(ids));
  }

  /** Looks at every session, as after a time in which nobody looked. */
  async enforceAll(): Promise<void> {
    await this.#sweep(undefined, undefined);
  }

  async #sweep(
    among: readonly string[] | undefined,
    wanted: ReadonlySet<string> | undefined,
  ): Promise<void> {
    for (let after = ''; ;) {
      const rows = await this.parts.store.query(pageOf(among, after));
      const held = rows.map(heldOf).filter((s) => wanted?.has(s.identityId) ?? true);
      await this.#end(await this.#lost(held));
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      after = idOf(last);
    }
  }

  async #lost(held: readonly Held[]): Promise<string[]> {
    const now = this.parts.context().now().getTime();
    const access = await judgeAccess(this.parts, held, now);
    return held.flatMap(({ id }, i) => (access[i]?.isPassing === true ? [] : [id]));
  }

  async #end(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const ctx = this.parts.context();
    const sessions = ctx.catalog.get('Session');
    await this.parts.store.write(originOf(ctx), async (tx) => {
      await deleteIn(ctx, tx, sessions, await tx.find(sessions, { id: [...ids] }));
    });
  }
}

const heldOf = (row: Row): Held => ({
  id: idOf(row),
  apiSessionId: String(row.api_session_id),
  identityId: String(row.identity_id),
  serviceId: String(row.service_id),
  type: row.type as ServicePolicyType,
});

const pageOf = (identityIds: readonly string[] | undefined, after: string): Sql =>
  identityIds
    ? sql`select id, api_session_id, identity_id, service_id, type from session
        where identity_id = any(${[...identityIds]}::text[]) and id > ${after}::text order by id limit ${PAGE}::int`
    : sql`select id, api_session_id, identity_id, service_id, type from session
        where id > ${after}::text order by id limit ${PAGE}::int`;
