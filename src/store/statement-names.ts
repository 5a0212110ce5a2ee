import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Sql } from '../base/sql.js';

/** Texts whose names are remembered here. */
const MOST_TEXTS = 500;
/** The server keeps a plan with a name, which takes many times the text of its statement. */
const LONGEST_TEXT = 16 * 1024;
/** Characters of all statements with a name on one connection. */
const MOST_CHARACTERS = 256 * 1024;

interface Named {
  readonly names: Set<string>;
  characters: number;
}

/**
 * Names of statements, under which a connection keeps them with their plans. Conditions and orders
 * that a client composed get none. The columns and page sizes that documents ask for make many
 * texts too: a text gets a name when it comes again, and a connection that has kept enough of them
 * is replaced, which gives its memory back.
 */
export class StatementNames {
  readonly #seen = new LRUCache<string, true>({ max: MOST_TEXTS });
  readonly #names = new LRUCache<string, string>({ max: MOST_TEXTS });
  readonly #named = new WeakMap<pg.PoolClient, Named>();

  nameOf(statement: Pick<Sql, 'isComposed'>, text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (statement.isComposed || text.length > LONGEST_TEXT) return undefined;
    if (!this.#seen.has(text)) {
      this.#seen.set(text, true);
      return undefined;
    }
    const name = createHash('sha1').update(text).digest('base64url');
    this.#names.set(text, name);
    return name;
  }

  /** A statement is sent on a connection, under this name. */
  sent(client: pg.PoolClient, name: string, text: string): void {
    const named = this.#named.get(client) ?? { names: new Set(), characters: 0 };
    this.#named.set(client, named);
    if (named.names.has(name)) return;
    named.names.add(name);
    named.characters += text.length;
  }

  /** Whether a connection has kept so much that it is to be replaced. */
  isFull(client: pg.PoolClient): boolean {
    return (this.#named.get(client)?.characters ?? 0) > MOST_CHARACTERS;
  }
}
