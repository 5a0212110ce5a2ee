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

/** The methods of any model of the generated client that this file uses. */
interface Model {
  findMany(args: { where?: object }): Promise<object[]>;
  create(args: { data: object }): Promise<object>;
  update(args: { where: object; data: object }): Promise<object>;
}

type ModelName = Prisma.TypeMap['meta']['modelProps'];

const isModel = (name: string): name is ModelName => upperFirst(name) in Prisma.ModelName;

/** The id of an entity that a statement touches. */
type IdRow = { readonly id: string };

/** An interactive transaction of Prisma with the resources of the catalog. */
export class PrismaTransaction implements Transaction {
  readonly changes: Change[] = [];

  constructor(
    private readonly client: Prisma.TransactionClient,
    readonly origin: Origin,
  ) {}

  /**
   * Locks the API session of the writer against deletion until the commit. Refuses a revoked
   * session, and one whose identity has lost rights, even if this controller has not noticed yet.
   */
  async holdSession(): Promise<void> {
    const { apiSessionId, rights } = this.origin;
    if (apiSessionId === null) return;
    const { isAdmin = false, permissions = [] } = rights ?? {};
    const sessions = await this.query(
      sql`select s.id from api_session s join identity i on i.id = s.identity_id
        where s.id = ${apiSessionId}::text
          and (i.is_admin or (not ${isAdmin}::boolean and i.permissions @> ${[...permissions]}::text[]))
        for key share of s`,
    );
    if (sessions.length === 0) throw failure('UNAUTHORIZED');
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
    await this.withClientErrors(resource, row, () =>
      this.model(resource).create({ data: encode(resource, row) }),
    );
  }

  update<N extends string>(resource: Resource<N>, id: string, values: ValuesOf<N>): Promise<void>;
  async update(resource: Resource, id: string, values: ValuesOf<string>): Promise<void> {
    await this.withClientErrors(resource, values, async () => {
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

  /** Writes the buffered change records directly before the commit; gives those that were logged. */
  async writeChanges(
    resources: (name: string) => Resource | undefined,
    epoch: number,
  ): Promise<readonly Change[]> {
    const logged = this.changes.filter((c) => resources(c.resource)?.options.unlogged !== true);
    if (logged.length === 0) return logged;
    const { at, actorId, apiSessionId, address, requestId, importId, reason = null } = this.origin;
    const session = apiSessionId === null ? null : sessionDigest(apiSessionId);
    const origin = { actorId, apiSessionId: session, address, requestId, importId, reason };
    await this.client.change.createMany({
      data: logged.map(({ resource, id, operation, revision, before, after }) => ({
        epoch,
        at,
        ...origin,
        entityType: resource,
        entityId: id,
        operation,
        revision,
        before: jsonOrNull(before),
        after: jsonOrNull(after),
      })),
    });
    // Only wakes the readers, which also poll.
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

  private async withClientErrors(
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

/** Whether the row to update was deleted since it was read. */
const isMissing = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025';

/** The error for a violated unique index: it names the attribute and its value. */
function duplicate(resource: Resource, values: object, error: unknown): Error | undefined {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2002') {
    return undefined;
  }
  const attributeName = brokenBy(resource, error.meta);
  // Clients know a certificate by its text, not by its fingerprint.
  const field = attributeName === 'fingerprint' ? 'certPem' : attributeName;
  const reason = `duplicate value '${String(attributeOf(values, attributeName))}' in unique index on ${resource.options.path} store`;
  return invalidField(field, reason, attributeOf(values, field));
}

/**
 * The error for a value above a third of an index page. The size counts after compression, so no
 * fixed length is checked.
 */
function tooLong(resource: Resource, error: unknown): Error | undefined {
  if (!(error instanceof Error) || !/index row (size|requires)/.test(describe(error))) {
    return undefined;
  }
  const field = brokenBy(resource, describe(error));
  return invalidField(field, `${field} is too long for its index`, '');
}

const describe = (error: Error & { readonly meta?: unknown; readonly cause?: unknown }): string =>
  JSON.stringify([error.message, error.meta, error.cause]);

/** The attribute of the violated index, which the driver adapter names somewhere below `meta`. */
function brokenBy(resource: Resource, meta: unknown): string {
  const metaText = JSON.stringify(meta);
  const attributes = [...resource.attributes.values()];
  const index = (a: Attribute): string => `"${resource.table}_${columnOf(a)}_key"`;
  return attributes.find((a) => metaText.includes(index(a)))?.name ?? 'name';
}

const DIGEST_LENGTH = 20;

/** Identifies an API session in the log, but can not be used as a session id. */
const sessionDigest = (id: string): string =>
  createHash('sha256').update(id).digest('hex').slice(0, DIGEST_LENGTH);
