import { LRUCache } from 'lru-cache';
import type { Sql } from '../../base/sql.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Resource } from '../../kernel/declare/resource.js';
import { declaredFunctions } from './schema/declared-functions.js';
import { declaredTables } from './tables/index.js';
import { copyOf } from '../../base/merged.js';

/**
 * An answer is kept for so long. This bounds the age of what the change log does not tell: columns
 * that other controllers write without a change record.
 */
const LIFE_MILLIS = 1_000;
/** Characters of all kept answers, as JSON. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_CHARACTERS_OF_ONE = 256 * 1024;
const MAX_ANSWERS = 2_000;
const MAX_TEXTS = 500;
/** Characters of a statement. */
const MAX_TEXT_LENGTH = 16 * 1024;
/** Characters of its values. */
const MAX_KEY_LENGTH = 4 * 1024;

const WORDS = /[A-Za-z_]\w*/g;
const CLOCK = /\b(?:now|\w+_timestamp|current_\w+|localtime\w*|random|nextval)\b/i;
const LOCK = /\bfor (?:no key )?(?:key )?(?:update|share)\b/i;
/** Models name the schema of a table, too. */
const WRITE = /\b(?:insert\s+into|update|delete\s+from)\s+(?:"public"\.)?"?([a-z_]+)/gi;
const DELETION = /\bdelete\s+from\b/i;

interface Answer {
  /** The state of the tables that it comes from. */
  readonly state: number;
  readonly rows: readonly object[];
}

/** Names of tables. */
export type Tables = readonly string[] | 'all';

/** A text whose answers can be kept. */
interface KeptText {
  /** Stands for the text in keys, since texts are long. */
  readonly number: number;
  /** The tables that it names. */
  readonly tables: readonly string[];
}

/** Whether rows of a resource are written without a change in the log. */
const hasOtherWrites = ({ options: { unlogged, storage } }: Resource): boolean =>
  unlogged === true || storage?.isUnlogged === true;

/**
 * The rows of statements that are asked again and again. An answer is used while nothing was written
 * to the tables that the text of its statement names: own writes count at their commit, those of
 * other controllers when the change feed delivers them. Only tables whose writes are in the change
 * log take part.
 *
 * Speed needs it (docs/benchmark.md, "REST identities, default order, exact total"): one of ten requests
 * of a page asks the database.
 */
export class RowCache {
  /** Tables and functions of the database: the words of a text that matter. */
  readonly #names: ReadonlySet<string>;
  readonly #logged: ReadonlySet<string>;
  /** A number for each logged table that grows with every write. */
  readonly #states = new Map<string, number>();
  readonly #texts = new LRUCache<string, KeptText | 'not kept'>({ max: MAX_TEXTS });
  #textCount = 0;
  readonly #askedOnce = new LRUCache<string, true>({ max: MAX_ANSWERS, ttl: LIFE_MILLIS });
  readonly #answers = new LRUCache<string, Answer>({
    max: MAX_ANSWERS,
    maxSize: MAX_CHARACTERS,
    maxEntrySize: MAX_CHARACTERS_OF_ONE,
    ttl: LIFE_MILLIS,
  });

  constructor(catalog: Catalog) {
    const stored = catalog.stored();
    const unlogged = new Set(stored.filter(hasOtherWrites).map(({ table }) => table));
    this.#logged = new Set(stored.map(({ table }) => table).filter((name) => !unlogged.has(name)));
    this.#names = new Set([
      ...declaredTables(catalog).map(({ name }) => name),
      ...declaredFunctions.map(({ signature }) => signature.replace(/\(.*/, '')),
    ]);
  }

  /** The rows of a statement, as objects of the caller alone; their values are shared and frozen. */
  async rows<R extends object>(
    statement: Sql<R>,
    ask: (statement: Sql<R>) => Promise<R[]>,
  ): Promise<R[]> {
    const { text, values } = statement.render();
    const kept = this.keptText(text);
    const key = kept === 'not kept' ? undefined : keyOf(kept, values);
    if (kept === 'not kept' || key === undefined) return ask(statement);
    const { tables } = kept;
    const state = this.stateOf(tables);
    const answer = this.#answers.get(key);
    // Equal keys are equal statements, whose rows are of one type.
    if (answer?.state === state) return copies(answer.rows as readonly R[]);
    const rows = await ask(statement);
    // A write during the statement may be in its rows or not.
    if (this.stateOf(tables) !== state) return rows;
    if (!this.#askedOnce.has(key)) {
      this.#askedOnce.set(key, true);
      return rows;
    }
    const size = JSON.stringify(rows).length + key.length;
    this.#answers.set(key, { state, rows: copies(rows).map(frozen) }, { size });
    return rows;
  }

  /** The tables that these statements write, as far as kept rows come from them. */
  writtenBy(texts: Iterable<string>): Tables {
    const tables = new Set<string>();
    for (const text of texts) {
      const written = writtenTables(text);
      if (written === 'all') return written;
      for (const table of written) if (this.#logged.has(table)) tables.add(table);
    }
    return [...tables];
  }

  /** Forgets what depends on these tables, or on any. */
  changed(tables: Tables): void {
    for (const table of tables === 'all' ? this.#logged : tables) {
      this.#states.set(table, (this.#states.get(table) ?? 0) + 1);
    }
  }

  /** Grows with every write to one of the tables. */
  private stateOf(tables: readonly string[]): number {
    return tables.reduce((sum, table) => sum + (this.#states.get(table) ?? 0), 0);
  }

  private keptText(text: string): KeptText | 'not kept' {
    if (text.length > MAX_TEXT_LENGTH) return 'not kept';
    const cached = this.#texts.get(text);
    if (cached) return cached;
    const tables = this.tablesIn(text);
    const kept = tables ? { number: (this.#textCount += 1), tables } : 'not kept';
    this.#texts.set(text, kept);
    return kept;
  }

  private tablesIn(text: string): readonly string[] | undefined {
    if (CLOCK.test(text) || LOCK.test(text)) return undefined;
    const names = [...new Set(text.match(WORDS))].filter((word) => this.#names.has(word));
    return names.every((name) => this.#logged.has(name)) ? names : undefined;
  }
}

/** Whether a statement writes nothing; the functions of the database write nothing. */
export const isRead = (text: string): boolean => /^\s*\(?\s*select\b/i.test(text);

/** The tables that a statement writes; a deletion may reach all tables that refer to its own. */
function writtenTables(text: string): Tables {
  if (isRead(text)) return [];
  if (DELETION.test(text)) return 'all';
  return [...text.matchAll(WRITE)].map(([, table = '']) => table);
}

/** Equal keys mean equal statements; undefined for values that are large or that JSON loses. */
function keyOf({ number }: KeptText, values: readonly unknown[]): string | undefined {
  if (!values.every(isPlain)) return undefined;
  const key = String(number) + JSON.stringify(values);
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}

/** Whether JSON tells the value from all others. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_KEY_LENGTH;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.length <= MAX_KEY_LENGTH && value.every(isPlain);
  return typeof value === 'boolean' || value === null || value instanceof Date;
}

const copies = <R extends object>(rows: readonly R[]): R[] => rows.map(copyOf);

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
