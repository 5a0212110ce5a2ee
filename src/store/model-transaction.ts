import { createHash } from 'node:crypto';
import pg from 'pg';
import { isStored, type Attribute } from '../kernel/declare/attribute.js';
import { failure, invalidField, notFound } from '../base/errors.js';
import { isAmong, matches } from '../kernel/declare/match.js';
import {
  columnOf,
  storedAttributes,
  withFollowing,
  type Resource,
} from '../kernel/declare/resource.js';
import {
  attributeOf,
  type MatchOf,
  type NewRowOf,
  type RowOf,
  type StoredEntity,
  type ValuesOf,
} from '../kernel/declare/rows.js';
import { column, flat, join, raw, sql, type Sql } from '../base/sql.js';
import { together } from '../base/together.js';
import { scoped } from '../kernel/declare/symbols.js';
import { columnName } from '../kernel/declare/table.js';
import type {
  Change,
  Cursor,
  Origin,
  PendingChange,
  Transaction,
} from '../kernel/request/store-port.js';
import { LockedRows } from './locked-rows.js';
import { isRead } from './row-cache.js';
import type { OpenTransaction } from './open-transaction.js';

/** The id of an entity that a statement touches. */
type IdRow = { readonly id: string };

/** The ids of written change records. */
type WrittenRow = { readonly ids: Cursor[] };

/** The alias of the table of a resource. */
const E = 'e';

interface ModelTransactionOptions {
  /** Whether each write fails by itself, for a caller who wants to know which one does. */
  readonly awaitsWrites?: boolean;
  /** Whether its transaction of the database holds the session of the writer already. */
  readonly isSessionHeld?: boolean;
  /** The rows that others have locked in the same transaction of the database. */
  readonly lockedRows?: LockedRows;
}

/**
 * A transaction of the database with the resources of the catalog. It does not wait for the answer
 * of a write whose result it knows: the write fails the transaction, or it has its effect. So the
 * commit is sent together with the last write.
 */
export class ModelTransaction implements Transaction {
  readonly changes: Change[] = [];
  /** The texts of the statements that write. */
  readonly writes = new Set<string>();

  readonly #awaitsWrites: boolean;
  /** Rejects if the writer may not write. */
  readonly #session: Promise<void>;
  readonly #lockedRows: LockedRows;
  /** Rejects with the error of the first write that failed. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly transaction: Pick<OpenTransaction, 'query' | 'commit'>,
    readonly origin: Origin,
    {
      awaitsWrites = false,
      isSessionHeld = false,
      lockedRows = new LockedRows(),
    }: ModelTransactionOptions = {},
  ) {
    this.#awaitsWrites = awaitsWrites;
    this.#lockedRows = lockedRows;
    this.#session = isSessionHeld ? Promise.resolve() : this.holdSession();
    this.#session.catch(() => undefined);
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
          and (i.is_admin or (not ${isAdmin}::boolean and i.permissions @> ${[...permissions]}::text[]))
        for key share of s`,
    );
    if (sessions.length === 0) throw failure('UNAUTHORIZED');
  }

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
    const columns = columnValues(resource, presentValues(resource, row));
    const names = join(
      columns.map(([name]) => raw(`"${name}"`)),
      ', ',
    );
    const values = join(
      columns.map(([, value]) => sql`${value}`),
      ', ',
    );
    await this.write(() =>
      withClientErrors(resource, row, () =>
        this.send(sql`insert into ${raw(`"${resource.table}"`)} (${names}) values (${values})`),
      ),
    );
  }

  update<N extends string>(resource: Resource<N>, id: string, values: ValuesOf<N>): Promise<void>;
  async update(resource: Resource, id: string, values: ValuesOf<string>): Promise<void> {
    const stored = presentValues(resource, values);
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
    const remove = (): Promise<IdRow[]> =>
      this.send(
        sql<IdRow>`delete from ${raw(`"${resource.table}"`)} where id = any(${[...ids]}::text[]) returning id`,
      );
    const areLocked = ids.every((id) => this.#lockedRows.has(resource, id));
    this.#lockedRows.remove(resource, ids);
    if (!areLocked) return (await remove()).map(({ id }) => id);
    await this.write(remove);
    return [...ids];
  }

  query<R>(statement: Sql<R>): Promise<R[]> {
    if (!isRead(statement.render().text)) this.#lockedRows.forgetStates();
    return this.send(statement);
  }

  /** Sends a statement whose effect on locked rows is known. */
  private async send<R>(statement: Sql<R>): Promise<R[]> {
    const { text } = statement.render();
    if (!isRead(text)) this.writes.add(text);
    const rows = await this.transaction.query(statement);
    await this.#session;
    return rows;
  }

  record(change: PendingChange): void {
    this.changes.push({ ...change, at: this.origin.at });
  }

  /**
   * Commits, with the records of these changes as the last statement before. Gives the ids of the
   * records in their order.
   */
  async commit(logged: readonly Change[], epoch: number): Promise<readonly Cursor[]> {
    const records = logged.length === 0 ? undefined : this.changeRecords(logged, epoch);
    const committed = this.transaction.commit(records);
    await together<unknown>([this.#written, committed]);
    const [written] = await committed;
    return written?.ids ?? [];
  }

  /**
   * Writes the records of these changes, and leaves the commit to others who use the same transaction
   * of the database. Resolves when all that it wrote is stored there.
   */
  async leave(logged: readonly Change[], epoch: number): Promise<void> {
    const records = logged.length === 0 ? [] : [this.send(this.changeRecords(logged, epoch))];
    await together<unknown>([this.#written, ...records]);
  }

  /** Sends a write, and waits for the answer to the one before, so that few are under way. */
  private async write(send: () => Promise<unknown>): Promise<void> {
    const before = this.#written;
    this.#written = together([before, send()]);
    this.#written.catch(() => undefined);
    await (this.#awaitsWrites ? this.#written : before);
  }

  private changeRecords(logged: readonly Change[], epoch: number): Sql<WrittenRow> {
    const { at, actorId, apiSessionId, address, requestId, importId, reason = null } = this.origin;
    const session = apiSessionId === null ? null : sessionDigest(apiSessionId);
    const rows = JSON.stringify(
      logged.map(({ resource, id, operation, revision, before, after }) => ({
        entity_type: resource,
        entity_id: id,
        operation,
        revision,
        before,
        after,
      })),
    );
    return sql<WrittenRow>`with written as (
        insert into change (epoch, at, actor_id, api_session_id, address, request_id, import_id,
          reason, entity_type, entity_id, operation, revision, before, after)
        select ${epoch}::int, ${at}::timestamptz, ${actorId}::text, ${session}::text,
          ${address}::text, ${requestId}::text, ${importId}::text, ${reason}::text,
          c.entity_type, c.entity_id, c.operation, c.revision, c.before, c.after
        from json_to_recordset(${rows}::json) as c(entity_type text, entity_id text,
          operation text, revision int, before jsonb, after jsonb)
        returning id, seq)
      select array_agg(id order by seq) as ids from written`;
  }
}

/** Names the session of a writer, with the rights that it claims. */
export const sessionKey = ({ apiSessionId, rights }: Origin): string =>
  JSON.stringify([apiSessionId, rights]);

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

const JSON_KINDS = new Set(['map', 'json', 'object', 'objects']);

type NamedValue = readonly [name: string, value: unknown];

/** These values and those that follow from them, by the names of their attributes, without absent ones. */
const presentValues = (resource: Resource, values: object): readonly NamedValue[] =>
  Object.entries(withFollowing(resource, values)).filter(([, value]) => value !== undefined);

const isJson = (resource: Resource, [name, value]: NamedValue): boolean =>
  JSON_KINDS.has(kindOf(resource, name)) && value !== null;

/** The columns of these values, with their values for the driver. */
const columnValues = (resource: Resource, values: readonly NamedValue[]): readonly NamedValue[] =>
  values.map((named) => {
    const [name, value] = named;
    return [columnName(name), isJson(resource, named) ? JSON.stringify(value) : value];
  });

/** These values as the database gives them back. */
const asReadAgain = (resource: Resource, values: readonly NamedValue[]): object =>
  Object.fromEntries(
    values.map((named) => {
      const [name, value] = named;
      const readValue: unknown = isJson(resource, named)
        ? JSON.parse(JSON.stringify(value))
        : value;
      return [name, readValue];
    }),
  );

function kindOf({ name, attributes, options }: Resource, of: string): string {
  if (of in (options.discriminator ?? {})) return 'bool';
  const attribute = attributes.get(of);
  if (!attribute || !isStored(attribute)) throw new Error(`${name} stores no ${of}`);
  return attribute.type.kind;
}

async function withClientErrors<T>(
  resource: Resource,
  values: object,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw duplicate(resource, values, error) ?? tooLong(resource, error) ?? error;
  }
}

const UNIQUE_VIOLATION = '23505';

/** The error for a violated unique index: it names the attribute and its value. */
function duplicate(resource: Resource, values: object, error: pg.DatabaseError): Error | undefined {
  if (error.code !== UNIQUE_VIOLATION) return undefined;
  const attributeName = attributeOfIndex(resource, error);
  // Clients know a certificate by its text, not by its fingerprint.
  const field = attributeName === 'fingerprint' ? 'certPem' : attributeName;
  const reason = `duplicate value '${String(attributeOf(values, attributeName))}' in unique index on ${resource.options.path} store`;
  return invalidField(field, reason, attributeOf(values, field));
}

/**
 * The error for a value above a third of an index page. The size counts after compression, so no
 * fixed length is checked.
 */
function tooLong(resource: Resource, error: pg.DatabaseError): Error | undefined {
  if (!/index row (size|requires)/.test(error.message)) return undefined;
  const field = attributeOfIndex(resource, error);
  return invalidField(field, `${field} is too long for its index`, '');
}

/** The attribute of the index that the error names. */
function attributeOfIndex(resource: Resource, { constraint, message }: pg.DatabaseError): string {
  const attributes = [...resource.attributes.values()];
  const index = (a: Attribute): string =>
    a.name === 'id' ? `${resource.table}_pkey` : `${resource.table}_${columnOf(a)}_key`;
  return (
    attributes.find((a) => constraint === index(a) || message.includes(`"${index(a)}"`))?.name ??
    'name'
  );
}

const DIGEST_LENGTH = 20;

/** Identifies an API session in the log, but can not be used as a session id. */
const sessionDigest = (id: string): string =>
  createHash('sha256').update(id).digest('hex').slice(0, DIGEST_LENGTH);
