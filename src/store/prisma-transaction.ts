import { createHash } from 'node:crypto';
import type { Attribute } from '../kernel/declare/attribute.js';
import { failure, invalidField, notFound } from '../base/errors.js';
import { columnOf, withFollowing, type Resource } from '../kernel/declare/resource.js';
import {
  attributeOf,
  type MatchOf,
  type NewRowOf,
  type RowOf,
  type ValuesOf,
} from '../kernel/declare/rows.js';
import { upperFirst } from '../base/names.js';
import { raw, sql, type Sql } from '../base/sql.js';
import { scoped } from '../kernel/declare/symbols.js';
import type { Change, Origin, Transaction } from '../kernel/request/store-port.js';
import { Prisma } from './generated/client.js';

/** What this file needs of a model of the generated client, whichever it is. */
interface Model {
  findMany(args: { where?: object }): Promise<object[]>;
  create(args: { data: object }): Promise<object>;
  update(args: { where: object; data: object }): Promise<object>;
}

type ModelName = Prisma.TypeMap['meta']['modelProps'];

const isModel = (name: string): name is ModelName => upperFirst(name) in Prisma.ModelName;

/** What statements give of each entity that they touch. */
type IdRow = { readonly id: string };

/** One interactive transaction of Prisma, seen through the catalog. */
export class PrismaTransaction implements Transaction {
  readonly changes: Change[] = [];

  constructor(
    private readonly client: Prisma.TransactionClient,
    readonly origin: Origin,
  ) {}

  /**
   * The API session that causes the changes, held against its end until the commit: a session that
   * was revoked writes nothing more, nor one whose identity lost rights, whatever this controller
   * still remembers of them.
   */
  async holdSession(): Promise<void> {
    const { apiSessionId, rights } = this.origin;
    if (apiSessionId === null) return;
    const { isAdmin = false, permissions = [] } = rights ?? {};
    const held = await this.query(
      sql`select s.id from api_session s join identity i on i.id = s.identity_id
        where s.id = ${apiSessionId}::text
          and (i.is_admin or (not ${isAdmin}::boolean and i.permissions @> ${[...permissions]}::text[]))
        for key share of s`,
    );
    if (held.length === 0) throw failure('UNAUTHORIZED');
  }

  async find<N extends string>(resource: Resource<N>, match: MatchOf<N>): Promise<RowOf<N>[]> {
    const where = new Map<string, unknown>(Object.entries(resource.options.discriminator ?? {}));
    for (const [name, value] of Object.entries<unknown>(match)) {
      where.set(name, Array.isArray(value) ? { in: value } : value);
    }
    return (await this.model(resource).findMany({
      where: Object.fromEntries(where),
    })) as RowOf<N>[];
  }

  hold(resource: Resource, ids: readonly string[]): Promise<string[]> {
    return this.ids(resource, ids, 'for key share');
  }

  lock(resource: Resource, ids: readonly string[]): Promise<string[]> {
    return this.ids(resource, ids, 'for update');
  }

  insert<N extends string>(resource: Resource<N>, row: NewRowOf<N>): Promise<void>;
  async insert(resource: Resource, row: NewRowOf<string>): Promise<void> {
    await this.guarded(resource, row, () =>
      this.model(resource).create({ data: encode(resource, row) }),
    );
  }

  update<N extends string>(resource: Resource<N>, id: string, values: ValuesOf<N>): Promise<void>;
  async update(resource: Resource, id: string, values: ValuesOf<string>): Promise<void> {
    await this.guarded(resource, values, async () => {
      try {
        await this.model(resource).update({ where: { id }, data: encode(resource, values) });
      } catch (error) {
        throw isMissing(error) ? notFound(resource.label, id) : error;
      }
    });
  }

  async remove(resource: Resource, ids: readonly string[]): Promise<string[]> {
    const rows = await this.query(
      sql<IdRow>`delete from ${raw(`"${resource.table}"`)} where id = any(${[...ids]}::text[]) returning id`,
    );
    return rows.map(({ id }) => id);
  }

  query<R>(statement: Sql<R>): Promise<R[]> {
    const { text, values } = statement.render();
    return this.client.$queryRawUnsafe(text, ...values);
  }

  record(change: Omit<Change, 'at'>): void {
    this.changes.push({ ...change, at: this.origin.at });
  }

  /** Writes the buffered change records; the last thing before the commit. Gives those that the log has. */
  async writeChanges(
    resources: (name: string) => Resource | undefined,
    epoch: number,
  ): Promise<readonly Change[]> {
    const logged = this.changes.filter((c) => resources(c.resource)?.options.unlogged !== true);
    if (logged.length === 0) return logged;
    const { at, actorId, apiSessionId, address, requestId, importId, reason = null } = this.origin;
    const session = apiSessionId === null ? null : sessionDigest(apiSessionId);
    const who = { actorId, apiSessionId: session, address, requestId, importId, reason };
    await this.client.change.createMany({
      data: logged.map(({ resource, id, operation, revision, before, after }) => ({
        epoch,
        at,
        ...who,
        entityType: resource,
        entityId: id,
        operation,
        revision,
        before: jsonOrNull(before),
        after: jsonOrNull(after),
      })),
    });
    // Only wakes the readers; they find the changes by polling as well.
    await this.client.$queryRaw`select pg_notify('overgraph_change', '')::text`;
    return logged;
  }

  private async ids(resource: Resource, ids: readonly string[], mode: string): Promise<string[]> {
    const where = scoped(resource, 'e', sql`"e"."id" = any(${[...ids]}::text[])`);
    const rows = await this.query(
      sql<IdRow>`select "e"."id" from ${raw(`"${resource.table}"`)} "e" where ${where} order by "e"."id" ${raw(mode)}`,
    );
    return rows.map(({ id }) => id);
  }

  private model(resource: Resource): Model {
    const models: Readonly<Record<ModelName, Model>> = this.client;
    // The client is generated from the catalog: it has a model for each resource.
    if (!isModel(resource.model)) throw new Error(`there is no model ${resource.model}`);
    return models[resource.model];
  }

  private async guarded(
    resource: Resource,
    values: object,
    write: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await write();
    } catch (error) {
      throw duplicate(resource, values, error) ?? tooLong(resource, error) ?? error;
    }
  }
}

const JSON_KINDS = new Set(['map', 'json', 'object', 'objects']);

const jsonOrNull = (value: unknown): Prisma.InputJsonValue | typeof Prisma.DbNull =>
  value === null ? Prisma.DbNull : (value as Prisma.InputJsonValue);

function encode(resource: Resource, values: object): object {
  return Object.fromEntries(
    Object.entries(withFollowing(resource, values)).map(([name, value]: [string, unknown]) => {
      const kind = resource.attributes.get(name)?.type.kind;
      return [name, kind && JSON_KINDS.has(kind) ? jsonOrNull(value) : value];
    }),
  );
}

/** Nothing to update: others have deleted it since it was read. */
const isMissing = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025';

/** A broken unique index is the fault of one attribute, whose value the client gets back. */
function duplicate(resource: Resource, values: object, error: unknown): Error | undefined {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2002') {
    return undefined;
  }
  const broken = brokenBy(resource, error.meta);
  // Clients know a certificate by its text, not by the fingerprint that is made of it.
  const field = broken === 'fingerprint' ? 'certPem' : broken;
  const reason = `duplicate value '${String(attributeOf(values, broken))}' in unique index on ${resource.options.path} store`;
  return invalidField(field, reason, attributeOf(values, field));
}

/** An index holds no value above a third of a page, compressed: how long that is the value decides. */
function tooLong(resource: Resource, error: unknown): Error | undefined {
  if (!(error instanceof Error) || !/index row (size|requires)/.test(describe(error))) {
    return undefined;
  }
  const field = brokenBy(resource, describe(error));
  return invalidField(field, `${field} is too long for its index`, '');
}

const describe = (error: Error & { readonly meta?: unknown; readonly cause?: unknown }): string =>
  JSON.stringify([error.message, error.meta, error.cause]);

/** The attribute of the index, which the driver adapter names somewhere below `meta`. */
function brokenBy(resource: Resource, meta: unknown): string {
  const named = JSON.stringify(meta);
  const attributes = [...resource.attributes.values()];
  const index = (a: Attribute): string => `"${resource.table}_${columnOf(a)}_key"`;
  return attributes.find((a) => named.includes(index(a)))?.name ?? 'name';
}

const DIGEST_LENGTH = 20;

/** Tells API sessions apart in the log, without being of use where their ids are. */
const sessionDigest = (id: string): string =>
  createHash('sha256').update(id).digest('hex').slice(0, DIGEST_LENGTH);
