import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Sql } from '../../base/sql.js';

/** Number of texts whose names are cached. */
const MAX_TEXTS = 500;
/**
 * Characters of a text that may get a name: the server keeps its plan, which is many times larger.
 */
const MAX_TEXT_LENGTH = 16 * 1024;
/** Characters of all named statements on one connection. */
const MAX_CHARACTERS = 256 * 1024;

interface NamedStatements {
  readonly names: Set<string>;
  characters: number;
}

/**
 * Names for statements, so that a connection keeps their plans. Statements with a condition or an
 * order that a client composed get no name. Selections and page sizes make many texts as well, so a
 * text gets a name at its second use. A connection with too many named statements is replaced,
 * which frees their memory.
 *
 * Speed needs them (docs/benchmark.md, "create an identity with 4 attributes"): without names a creation
 * takes twice the time of the database, and a detail more than ten times.
 */
export class StatementNames {
  readonly #usedOnce = new LRUCache<string, true>({ max: MAX_TEXTS });
  readonly #names = new LRUCache<string, string>({ max: MAX_TEXTS });
  readonly #byConnection = new WeakMap<pg.PoolClient, NamedStatements>();

  nameOf(statement: Pick<Sql, 'isComposed'>, text: string): string | undefined {
    const cachedName = this.#names.get(text);
    if (cachedName !== undefined) return cachedName;
    if (statement.isComposed || text.length > MAX_TEXT_LENGTH) return undefined;
    if (!this.#usedOnce.has(text)) {
      this.#usedOnce.set(text, true);
      return undefined;
    }
    const name = createHash('sha1').update(text).digest('base64url');
    this.#names.set(text, name);
    return name;
  }

  /** Records that a connection sends a statement with this name. */
  sent(client: pg.PoolClient, name: string, text: string): void {
    const named = this.#byConnection.get(client) ?? { names: new Set(), characters: 0 };
    this.#byConnection.set(client, named);
    if (named.names.has(name)) return;
    named.names.add(name);
    named.characters += text.length;
  }

  /** Whether a connection has too many named statements and must be replaced. */
  isFull(client: pg.PoolClient): boolean {
    return (this.#byConnection.get(client)?.characters ?? 0) > MAX_CHARACTERS;
  }
}
