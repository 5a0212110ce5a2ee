import { failure, notFound } from '../../base/errors.js';
import { isAmong, matches } from '../../kernel/declare/match.js';
import { columnOf, storedAttributes, type Resource } from '../../kernel/declare/resource.js';
import type {
  MatchOf,
  NewRowOf,
  RowOf,
  StoredEntity,
  ValuesOf,
} from '../../kernel/declare/rows.js';
import { column, flat, join, raw, sql, type Sql } from '../../base/sql.js';
import { together } from '../../base/together.js';
import { scoped } from '../../kernel/declare/symbols.js';
import type {
  Change,
  Cursor,
  Origin,
  PendingChange,
  Transaction,
} from '../../kernel/request/store-port.js';
import { withClientErrors } from './client-errors.js';
import { changeRecords } from './change-records.js';
import {
  asReadAgain,
  columnValues,
  modelData,
  presentValues,
  type NamedValue,
} from './column-values.js';
import { LockedRows } from './locked-rows.js';
import { isRead } from './row-cache.js';
import type { OpenTransaction } from './open-transaction.js';
import { modelOf, type ResourceModel } from '../prisma/model-connections.js';
import type { Models, ReadModels } from '../prisma/models.js';

/** The id of an entity that a statement touches. */
type IdRow = { readonly id: string };

/** The alias of the table of a resource. */
const E = 'e';

interface ModelTransactionOptions {
  /** Whether each write fails by itself, for a caller who wants to know which one does. */
  readonly awaitsWrites?: boolean;
  /** Whether its transaction of the database holds the session of the writer already. */
  readonly isSessionHeld?: boolean;
  /** The rows that others have locked in the same transaction of the database. */
  readonly lockedRows?: LockedRows;
  /** The texts of their statements that write. */
  readonly writes?: Set<string>;
}

/**
 * A transaction of the database with the resources of the catalog. It does not wait for the answer
 * of a write whose result it knows: the write fails the transaction, or it has its effect. So the
 * commit is sent together with the last write.
 */
export class ModelTransaction implements Transaction {
  readonly changes: Change[] = [];
  /** The texts of the statements that write; that of a model is known when it is sent. */
  readonly writes: Set<string>;

  #hasWritten = false;
  readonly #awaitsWrites: boolean;
  /** Rejects if the writer may not write. */
  readonly #session: Promise<void>;
  readonly #lockedRows: LockedRows;
  /** Rejects with the error of the first write that failed. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly transaction: Pick<OpenTransaction, 'query' | 'model' | 'commit'>,
    readonly origin: Origin,
    {
      awaitsWrites = false,
      isSessionHeld = false,
      lockedRows = new LockedRows(),
      writes = new Set(),
    }: ModelTransactionOptions = {},
  ) {
    this.#awaitsWrites = awaitsWrites;
    this.#lockedRows = lockedRows;
    this.writes = writes;
    this.#session = isSessionHeld ? Promise.resolve() : this.holdSession();
    this.#session.catch(() => undefined);
  }

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /**
   * Runs the work of the transaction. The check of the session and the first statement of the work
   * are sent together; the error of the check comes before all others.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await work(this);
    } catch (error) {
      // A failed write is the cause of the failures after it. Work that waits for its writes has the
      // first error, and may have said more about it.
      if (!this.#awaitsWrites) await this.#written;
      throw error;
    } finally {
      await this.#session;
    }
  }

  /**
   * Locks the API session of the writer against deletion until the commit. Refuses a revoked
   * session, and one whose identity has lost rights, even if this controller has not noticed yet.
   */
  private async holdSession(): Promise<void> {
    const { apiSessionId, rights } = this.origin;
    if (apiSessionId === null) return;
    const { isAdmin = false, permissions = [] } = rights ?? {};
    const sessions = await this.transaction.query(
      sql`select s.id from api_session s join identity i on i.id = s.identity_id
        where s.id = ${apiSessionId}::text
          and (i.is_admin or s.granted_admin
            or (not ${isAdmin}::boolean and i.permissions || s.granted_permissions @> ${[...permissions]}::text[]))
        for key share of s`,
    );
    if (sessions.length === 0) throw failure('UNAUTHORIZED');
  }

  /** A statement, since declarations give columns and conditions as expressions of SQL. */
  find<N extends string>(resource: Resource<N>, match: MatchOf<N>): Promise<RowOf<N>[]> {
    const where = matches(resource, E, match);
    return this.query(
      sql<RowOf<N>>`select ${rowColumns(resource)} from ${tableOf(resource)} where ${where}`,
    );
  }

  lockRow<N extends string>(resource: Resource<N>, id: string): Promise<RowOf<N> | undefined>;
  async lockRow(resource: Resource, id: string): Promise<StoredEntity | undefined> {
    const lockedRow = this.#lockedRows.find(resource, id);
    if (lockedRow) {
      await this.#session;
      return lockedRow;
    }
    const where = scoped(resource, E, sql`"e"."id" = ${id}::text`);
    const [row] = await this.query(
      sql<StoredEntity>`select ${rowColumns(resource)} from ${tableOf(resource)} where ${where} for update`,
    );
    if (row) this.#lockedRows.add(resource, row);
    return row;
  }

  async hold(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const where = scoped(resource, E, isAmong(E, ids));
    const rows = await this.query(
      sql<IdRow>`select "e"."id" from ${tableOf(resource)} where ${where} order by "e"."id" for key share`,
    );
    return rows.map(({ id }) => id);
  }

  lock<N extends string>(resource: Resource<N>, ids: readonly string[]): Promise<RowOf<N>[]>;
  async lock(resource: Resource, ids: readonly string[]): Promise<StoredEntity[]> {
    const where = scoped(resource, E, isAmong(E, ids));
    const rows = await this.query(
      sql<StoredEntity>`select ${rowColumns(resource)} from ${tableOf(resource)} where ${where} order by "e"."id" for update`,
    );
    for (const row of rows) this.#lockedRows.add(resource, row);
    return rows;
  }

  insert<N extends string>(resource: Resource<N>, row: NewRowOf<N>): Promise<void>;
  async insert(resource: Resource, row: NewRowOf<string>): Promise<void> {
    const values = presentValues(resource, row);
    await this.write(() =>
      withClientErrors(resource, row, async () => {
        await (resource.options.createdOften === true
          ? this.send(insertion(resource, values))
          : this.createByModel(resource, values));
      }),
    );
  }

  private createByModel(resource: Resource, values: readonly NamedValue[]): Promise<unknown> {
    const data = modelData(resource, values);
    return this.call(resource, (model) => model.create({ data, select: { id: true } }));
  }

  update<N extends string>(resource: Resource<N>, id: string, values: ValuesOf<N>): Promise<void>;
  async update(resource: Resource, id: string, values: ValuesOf<string>): Promise<void> {
    const stored = presentValues(resource, values);
    // By the model, an edit of a policy costs 1.33 ms of processor time instead of 0.93.
    const assignments = join(
      columnValues(resource, stored).map(([name, value]) => sql`${raw(`"${name}"`)} = ${value}`),
      ', ',
    );
    const update = async (): Promise<void> => {
      const updated = await withClientErrors(resource, values, () =>
        this.send(
          sql<IdRow>`update ${raw(`"${resource.table}"`)} set ${assignments} where id = ${id}::text returning id`,
        ),
      );
      // The row to update was deleted since it was read.
      if (updated.length === 0) throw notFound(resource.label, id);
    };
    if (!this.#lockedRows.has(resource, id)) return update();
    this.#lockedRows.update(resource, id, asReadAgain(resource, stored));
    return this.write(update);
  }

  async remove(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const remove = (): Promise<string[]> => this.removeRows(resource, ids);
    const areLocked = ids.every((id) => this.#lockedRows.has(resource, id));
    this.#lockedRows.remove(resource, ids);
    if (!areLocked) return remove();
    await this.write(remove);
    return [...ids];
  }

  /** Gives the ids of the rows that were there. */
  private async removeRows(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const [id, ...others] = ids;
    if (id !== undefined && others.length === 0) {
      const { count } = await this.call(resource, (model) => model.deleteMany({ where: { id } }));
      return count === 0 ? [] : [id];
    }
    // Prisma has one parameter for each id, so that each number of ids is another statement.
    const rows = await this.send(
      sql<IdRow>`delete from ${raw(`"${resource.table}"`)} where id = any(${[...ids]}::text[]) returning id`,
    );
    return rows.map((row) => row.id);
  }

  query<R>(statement: Sql<R>): Promise<R[]> {
    if (!isRead(statement.render().text)) this.#lockedRows.forgetStates();
    return this.send(statement);
  }

  /** Sends a statement whose effect on locked rows is known. */
  private async send<R>(statement: Sql<R>): Promise<R[]> {
    const { text } = statement.render();
    if (!isRead(text)) {
      this.#hasWritten = true;
      this.writes.add(text);
    }
    const rows = await this.transaction.query(statement);
    await this.#session;
    return rows;
  }

  async readModel<T>(call: (models: ReadModels) => PromiseLike<T>): Promise<T> {
    const answer = await this.transaction.model(call);
    await this.#session;
    return answer;
  }

  writeModel<T>(call: (models: Models) => PromiseLike<T>): Promise<T> {
    this.#lockedRows.forgetStates();
    return this.sendByModel(call);
  }

  /** Calls the model of a resource, for a write whose effect on locked rows is known. */
  private call<T>(resource: Resource, call: (model: ResourceModel) => PromiseLike<T>): Promise<T> {
    return this.sendByModel((models) => call(modelOf(models, resource)));
  }

  private async sendByModel<T>(call: (models: Models) => PromiseLike<T>): Promise<T> {
    this.#hasWritten = true;
    const onStatement = (text: string): void => void this.writes.add(text);
    const answer = await this.transaction.model(call, { onStatement });
    await this.#session;
    return answer;
  }

  record(change: PendingChange): void {
    this.changes.push({ at: this.origin.at, ...change });
  }

  /**
   * Commits, with the records of these changes as the last statement before. Gives the ids of the
   * records in their order.
   */
  async commit(logged: readonly Change[], epoch: number): Promise<readonly Cursor[]> {
    const records = changeRecords([{ origin: this.origin, changes: logged }], epoch);
    const committed = this.transaction.commit(records);
    await together<unknown>([this.#written, committed]);
    const [written] = await committed;
    return written?.ids ?? [];
  }

  /**
   * Leaves the change records and the commit to others who use the same transaction of the database.
   * Resolves when all that it wrote is stored there.
   */
  async leave(): Promise<void> {
    await this.#written;
  }

  /** Sends a write, and waits for the answer to the one before, so that few are under way. */
  private async write(send: () => Promise<unknown>): Promise<void> {
    const before = this.#written;
    this.#written = together([before, send()]);
    this.#written.catch(() => undefined);
    await (this.#awaitsWrites ? this.#written : before);
  }
}

function insertion(resource: Resource, values: readonly NamedValue[]): Sql {
  const columns = columnValues(resource, values);
  const names = join(
    columns.map(([name]) => raw(`"${name}"`)),
    ', ',
  );
  const parameters = join(
    columns.map(([, value]) => sql`${value}`),
    ', ',
  );
  return sql`insert into ${raw(`"${resource.table}"`)} (${names}) values (${parameters})`;
}

/** Names the session of a writer, with the rights that it claims. */
export const sessionKey = ({ apiSessionId, rights }: Origin): string =>
  JSON.stringify([apiSessionId, rights?.isAdmin, rights?.permissions]);

const tableOf = ({ table }: Resource): Sql => raw(`"${table}" "${E}"`);

const rowColumnsCache = new WeakMap<Resource, Sql>();

/** The select list of all stored attributes. */
function rowColumns(resource: Resource): Sql {
  const cachedColumns = rowColumnsCache.get(resource);
  if (cachedColumns) return cachedColumns;
  const columns = storedAttributes(resource).map(
    (a) => sql`${column(E, columnOf(a))} as ${raw(`"${a.name}"`)}`,
  );
  const list = flat(join(columns, ', '));
  rowColumnsCache.set(resource, list);
  return list;
}
