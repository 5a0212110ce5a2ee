import { countBefore } from '../../base/sorted.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { isAmong } from '../../kernel/declare/match.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { SelectedEntity } from '../../kernel/declare/rows.js';
import { searchedAttributes, searchedResources } from '../../kernel/declare/searched.js';
import { columnsOf } from '../../kernel/read/columns.js';
import { nextRowsBy, typedRows } from '../../kernel/read/entity-table.js';
import type { Store } from '../../kernel/request/store-port.js';
import { compareEntries } from './find.js';
import { entryOf, type Entry } from './rank.js';
import { textReader, type TextReader } from './searched-texts.js';

/** Rows of one statement; reading them blocks other work for some milliseconds. */
const PAGE = 2_000;

/**
 * Changed entities that the memory may lack. With more, the last search was long ago: the
 * memory is released, and the next search reads everything again.
 */
const MAX_CHANGED = 20_000;

/** A resource whose entities searches find. */
export interface SearchedKind {
  readonly resource: Resource;
  readonly readTexts: TextReader;
  /** The attributes that `readTexts` reads. */
  readonly attributes: readonly string[];
}

/**
 * Entities by the name of their resource, in the order of `compareEntries`. A list never changes:
 * another one replaces it, so that a search can pause.
 */
export type SearchedEntities = ReadonlyMap<string, readonly Entry[]>;

/** Ids by the name of their resource. */
type IdsByType = ReadonlyMap<string, ReadonlySet<string>>;

export interface SearchMemoryDependencies {
  readonly catalog: Catalog;
  /** Not the store of a request, which may be bound to an older state. */
  readonly store: Pick<Store, 'query' | 'onChange'>;
}

/**
 * The searched texts of all entities in memory, in upper case: the database would read and convert
 * every row for each search. The first search reads them. A change only marks its entity, and the
 * next search reads the marked entities again.
 *
 * Speed needs it (docs/benchmark.md, "a text of all entities"). The trigrams of `pg_trgm` help when few
 * entities match: with an index of 16 MB on 115,000 rows a text of one took 6 ms at best, but one of all
 * 65 ms, and one of two characters, which has no trigram, 50 ms. It is also an extension that the owner
 * of a server has to allow.
 */
export class SearchMemory {
  readonly kinds: readonly SearchedKind[];
  readonly #types: ReadonlySet<string>;
  #entries: Map<string, readonly Entry[]> | undefined;
  /** The read of all entities that runs, unless its result would lack changes. */
  #reading: object | undefined;
  #changed = new Map<string, Set<string>>();
  #changedCount = 0;

  constructor(private readonly dependencies: SearchMemoryDependencies) {
    this.kinds = searchedResources(dependencies.catalog).map((resource) => ({
      resource,
      readTexts: textReader(resource),
      attributes: searchedAttributes(resource).map(({ name }) => name),
    }));
    this.#types = new Set(this.kinds.map(({ resource }) => resource.name));
    dependencies.store.onChange((changes) => {
      for (const { resource, id } of changes) this.mark(resource, id);
    });
  }

  /** Marks an entity that may differ from the memory. */
  mark(type: string, id: string): void {
    const isHeld = this.#entries !== undefined || this.#reading !== undefined;
    if (!isHeld || !this.#types.has(type)) return;
    const ids = this.#changed.get(type) ?? new Set();
    this.#changed.set(type, ids);
    this.#changedCount += Number(!ids.has(id));
    ids.add(id);
    if (this.#changedCount > MAX_CHANGED) this.release();
  }

  /**
   * All entities in their present state. Call it for one search at a time. Other searches depend on
   * what it reads, so it is not cancelled with its request.
   */
  async present(): Promise<SearchedEntities> {
    const entries = this.#entries ?? (await this.readAll());
    await this.readChanged(entries);
    return new Map(entries);
  }

  private release(): void {
    this.#entries = undefined;
    this.#reading = undefined;
    this.#changed = new Map();
    this.#changedCount = 0;
  }

  private async readAll(): Promise<Map<string, readonly Entry[]>> {
    const reading = {};
    this.#reading = reading;
    try {
      const all = new Map<string, readonly Entry[]>();
      for (const kind of this.kinds) all.set(kind.resource.name, await this.readKind(kind));
      if (this.#reading === reading) this.#entries = all;
      return all;
    } finally {
      this.#reading = undefined;
    }
  }

  private async readKind({ resource, readTexts, attributes }: SearchedKind): Promise<Entry[]> {
    const { catalog, store } = this.dependencies;
    const columns = columnsOf(resource, attributes, [], catalog).list('e');
    const isNamed = resource.attributes.has('name');
    const order = isNamed ? ['name', 'id'] : ['id'];
    const entries: Entry[] = [];
    for (;;) {
      const last = entries.at(-1);
      const after = last && (isNamed ? [last.name, last.id] : [last.id]);
      const rows: SelectedEntity[] = await nextRowsBy(store, resource, columns, order, {
        after,
        limit: PAGE,
      });
      for (const row of rows) entries.push(entryOf(row.id, readTexts, row));
      if (rows.length < PAGE) return entries;
    }
  }

  private async readChanged(entries: Map<string, readonly Entry[]>): Promise<void> {
    const changed = this.#changed;
    if (changed.size === 0) return;
    this.#changed = new Map();
    this.#changedCount = 0;
    try {
      for (const part of inParts(changed)) await this.readAgain(entries, part);
    } catch (error) {
      for (const [type, ids] of changed) for (const id of ids) this.mark(type, id);
      throw error;
    }
  }

  private async readAgain(
    entries: Map<string, readonly Entry[]>,
    changed: IdsByType,
  ): Promise<void> {
    const kinds = this.kinds.filter(({ resource }) => changed.has(resource.name));
    const selections = kinds.map(({ resource, attributes }) => ({
      resource,
      attributes,
      where: (alias: string) => isAmong(alias, [...(changed.get(resource.name) ?? [])]),
    }));
    const rows = await this.dependencies.store.query(typedRows(selections));
    for (const { resource, readTexts } of kinds) {
      const { name } = resource;
      const read = rows
        .filter(({ type }) => type === name)
        .map(({ id, values }) => entryOf(id, readTexts, values));
      entries.set(name, replaced(entries.get(name) ?? [], changed.get(name) ?? new Set(), read));
    }
  }
}

/** Parts of at most `PAGE` ids. */
function* inParts(changed: IdsByType): Generator<IdsByType> {
  let part = new Map<string, Set<string>>();
  let size = 0;
  for (const [type, ids] of changed) {
    for (const id of ids) {
      const ofType = part.get(type) ?? new Set();
      part.set(type, ofType.add(id));
      size += 1;
      if (size < PAGE) continue;
      yield part;
      part = new Map();
      size = 0;
    }
  }
  if (size > 0) yield part;
}

/** The list without the entries with these ids, and with the new ones in their places. */
function replaced(
  entries: readonly Entry[],
  ids: ReadonlySet<string>,
  added: readonly Entry[],
): readonly Entry[] {
  const unchanged = entries.filter(({ id }) => !ids.has(id));
  const parts: (readonly Entry[])[] = [];
  let from = 0;
  for (const entry of [...added].sort(compareEntries)) {
    const place = countBefore(unchanged, (other) => compareEntries(other, entry) < 0);
    parts.push(unchanged.slice(from, place), [entry]);
    from = place;
  }
  return [...parts, unchanged.slice(from)].flat();
}
