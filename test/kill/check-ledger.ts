import type { TestController } from '../support/controller.js';
import { eventually } from '../support/eventually.js';
import { isThere, type Entry, type Ledger, type Operation } from './ledger.js';

/** Runs a statement beside the controller. */
export type Query = (
  text: string,
  values: readonly unknown[],
) => Promise<Record<string, unknown>[]>;

interface Logged {
  readonly operation: Operation;
  readonly revision: number;
  readonly before: number | null;
  readonly after: number | null;
}

interface Stored {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly marks: readonly number[];
}

const ROWS = `select id, name, revision,
    array[max_idle_time_millis, (tags->>'mark')::int, substr(role_attributes[1], 6)::int] as marks
  from service where name = any($1::text[]) or id = any($2::text[])`;

const CHANGES = `select entity_id as id, json_agg(json_build_object('operation', operation,
    'revision', revision, 'before', (before->'tags'->>'mark')::int,
    'after', (after->'tags'->>'mark')::int) order by seq) as changes
  from change where entity_type = 'Service' and entity_id = any($1::text[]) group by entity_id`;

/** Creations in the log that nobody was told of, and that have no row either. */
const LOST_CREATIONS = `select entity_id from change c where entity_type = 'Service'
  and operation = 'create' and seq > $1 and not exists (
    select from service s where s.id = c.entity_id) and entity_id <> all($2::text[])`;

/** Compares what the database and both doors have with what the ledger says. */
export class LedgerCheck {
  #seq = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly query: Query,
    private readonly api: TestController,
  ) {}

  /** In what they differ. */
  async run(entries: readonly Entry[]): Promise<string[]> {
    const faults: string[] = [];
    for (let i = 0; i < entries.length; i += SLICE) {
      faults.push(...(await this.#check(entries.slice(i, i + SLICE))));
    }
    return [...faults, ...(await this.#lost()), ...(await this.#totals())];
  }

  async #check(entries: readonly Entry[]): Promise<string[]> {
    const rows = await this.#rows(entries);
    for (const entry of entries) entry.id ??= rows.get(entry.name)?.id;
    const changes = await this.#changes(entries);
    const faults = entries.flatMap((entry) => {
      const logged = changes.get(entry.id ?? '') ?? [];
      this.ledger.settle(entry, logged.length > entry.changes);
      return faultsOf(entry, rows.get(entry.name), logged).map((fault) => `${entry.name} ${fault}`);
    });
    return [...faults, ...(await this.#shown(entries))];
  }

  async #rows(entries: readonly Entry[]): Promise<Map<string, Stored>> {
    const names = entries.map(({ name }) => name);
    const ids = entries.flatMap(({ id }) => id ?? []);
    const rows = (await this.query(ROWS, [names, ids])) as unknown as Stored[];
    return new Map(rows.map((row) => [row.name, row]));
  }

  async #changes(entries: readonly Entry[]): Promise<Map<string, Logged[]>> {
    const ids = entries.flatMap(({ id }) => id ?? []);
    const rows = await this.query(CHANGES, [ids]);
    return new Map(rows.map(({ id, changes }) => [String(id), changes as Logged[]]));
  }

  async #lost(): Promise<string[]> {
    const known = this.ledger.all.flatMap(({ id }) => id ?? []);
    const rows = await this.query(LOST_CREATIONS, [this.#seq, known]);
    const [last] = await this.query('select coalesce(max(seq), 0)::int as seq from change', []);
    this.#seq = Number(last?.seq);
    return rows.map((row) => `${String(row.entity_id)} is in the change log alone`);
  }

  /**
   * Counted in the memory of the controller, which learns of a write whose commit broke off only as
   * it reads the change log again.
   */
  async #totals(): Promise<string[]> {
    const expected = this.ledger.all.filter(isThere).length;
    let totals: readonly number[] = [];
    const agree = eventually(async () => {
      totals = await this.#counts();
      if (totals.some((total) => total !== expected)) throw new Error('the totals differ');
    });
    return agree.then(
      () => [],
      () => [`there are ${totals.join(' and ')} services instead of ${String(expected)}`],
    );
  }

  async #counts(): Promise<number[]> {
    const { body } = await this.api.rest('GET', '/services?limit=1');
    const { data } = await this.api.graphql('{ services(first: 0) { totalCount } }');
    const { services } = data as { services: { totalCount: number } };
    return [body.meta.pagination.totalCount, services.totalCount];
  }

  /** By both doors. */
  async #shown(entries: readonly Entry[]): Promise<string[]> {
    const expected = new Map(
      entries.filter(isThere).map(({ id = '', mark }) => [id, mark] as const),
    );
    const ids = entries.flatMap(({ id }) => id ?? []);
    if (ids.length === 0) return [];
    const faults: string[] = [];
    for (const read of [readRest, readGraph]) {
      if (isEqual(await read(this.api, ids), expected)) continue;
      faults.push(`${read.name} shows other services or marks`);
    }
    return faults;
  }
}

/** In what a service and its log are not as the ledger says; a write without an answer is settled. */
function faultsOf(entry: Entry, row: Stored | undefined, logged: readonly Logged[]): string[] {
  const faults: string[] = [];
  if (logged.length !== entry.changes) {
    faults.push(`has ${String(logged.length)} of ${String(entry.changes)} changes in the log`);
  }
  if (logged.some(({ revision }, i) => revision !== i + 1)) faults.push('has other revisions');
  if (logged.some(({ before }, i) => before !== (logged[i - 1]?.after ?? null))) {
    faults.push('has a log that does not hang together');
  }
  if (logged.some(({ operation }, i) => operation !== operationAt(i, entry))) {
    faults.push('has other operations in its log');
  }
  return row ? [...faults, ...faultsOfRow(entry, row)] : absent(entry, faults);
}

const operationAt = (i: number, { changes, isDeleted }: Entry): Operation =>
  i === 0 ? 'create' : isDeleted && i === changes - 1 ? 'delete' : 'update';

const absent = (entry: Entry, faults: string[]): string[] =>
  entry.changes > 0 && !entry.isDeleted ? [...faults, 'is lost'] : faults;

function faultsOfRow(entry: Entry, row: Stored): string[] {
  if (entry.isDeleted) return ['is not deleted'];
  if (entry.changes === 0) return ['is there without a change in the log'];
  const faults = row.marks.every((mark) => mark === entry.mark)
    ? []
    : [`has the marks ${row.marks.join()} instead of ${String(entry.mark)}`];
  return row.id === entry.id && row.revision === entry.changes
    ? faults
    : [...faults, 'has another id or revision'];
}

/** As many as a door shows at once. */
const SLICE = 200;

async function readRest(api: TestController, ids: readonly string[]): Promise<Map<string, number>> {
  const quoted = ids.map((id) => JSON.stringify(id)).join();
  const filter = encodeURIComponent(`id in [${quoted}] limit ${String(SLICE)}`);
  const { body, text } = await api.rest('GET', `/services?filter=${filter}`);
  if (!Array.isArray(body.data)) throw new Error(text);
  return marksOf(body.data);
}

const READ = `query ($ids: [String!]) {
  services(where: { id: { in: $ids } }, first: ${String(SLICE)}) { nodes { id tags } } }`;

async function readGraph(
  api: TestController,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { data, errors } = await api.graphql(READ, { ids });
  if (errors) throw new Error(JSON.stringify(errors));
  return marksOf((data as { services: { nodes: Row[] } }).services.nodes);
}

interface Row {
  readonly id: string;
  readonly tags: { readonly mark: number };
}

const marksOf = (rows: readonly Row[]): Map<string, number> =>
  new Map(rows.map(({ id, tags }) => [id, tags.mark]));

const isEqual = (one: Map<string, number>, other: Map<string, number>): boolean =>
  one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
