import { setImmediate as immediately } from 'node:timers/promises';
import { failure, invalidField } from '../../base/errors.js';
import { isStorableText, UNSTORABLE } from '../../base/storable.js';
import { and, TRUE, type Sql } from '../../base/sql.js';
import { isAmong } from '../../kernel/declare/match.js';
import { readable } from '../../kernel/declare/permissions.js';
import type { MatchedBy } from '../../kernel/declare/searched.js';
import { typedRows, type TypedRow } from '../../kernel/read/entity-table.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { RequestScope } from '../../kernel/request/request-scope.js';
import { findPlaces, MAX_COUNTED, type FoundPlaces, type Place, type Window } from './find.js';
import { bestText, soughtOf, type Sought } from './rank.js';
import {
  SearchMemory,
  type SearchedEntities,
  type SearchedKind,
  type SearchMemoryDependencies,
} from './search-memory.js';
import { textsOfEntity } from './searched-texts.js';
import { inSlices } from '../../base/slices.js';

/** Characters of a text to search for. */
export const MAX_TEXT_LENGTH = 200;

/** Attempts of a search whose hits were changed or deleted meanwhile. */
const ATTEMPTS = 3;

export interface Question {
  readonly text: string;
  /** Names of resources; absent for all that the caller may read. */
  readonly types?: readonly string[] | null | undefined;
}

/** The part of the hits to show. */
export interface HitWindow {
  /** Only hits after this place. */
  readonly after: Place | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** An entity that matches, with the text by which it does. */
export interface Hit {
  readonly place: Place;
  readonly name: string | null;
  readonly matchedBy: MatchedBy;
  readonly matchedText: string;
  readonly tag: string | null;
}

export interface Hits {
  /** The hits of the window, without those that were deleted at this moment. */
  readonly hits: readonly Hit[];
  readonly hasMore: boolean;
  /** The hits of all windows, at most `MAX_COUNTED`. */
  readonly count: number;
  readonly isCountExact: boolean;
}

/** A searched kind of which the caller may read these rows. */
interface ReadableKind {
  readonly kind: SearchedKind;
  readonly where: (alias: string) => Sql;
}

/** Finds entities of all kinds by a text. */
export class Search {
  readonly #memory: SearchMemory;
  /** Searches run one after the other, since all of them at once would delay other requests. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: SearchMemoryDependencies) {
    this.#memory = new SearchMemory(dependencies);
  }

  /** @throws ApiError COULD_NOT_VALIDATE, UNAUTHORIZED */
  async find(ctx: RequestContext, question: Question, window: HitWindow): Promise<Hits> {
    const sought = soughtOf(checkedText(question.text));
    const kinds = this.readableKinds(ctx, question.types);
    const { after, offset, limit } = window;
    for (let attempt = 1; ; attempt += 1) {
      const { places, count } = await this.places(ctx, kinds, sought, {
        after,
        limit: offset + limit + 1,
      });
      const shown = places.slice(offset, offset + limit);
      const hits = await describeHits(ctx, kinds, sought, shown);
      if (hits.length === shown.length || attempt === ATTEMPTS) {
        return {
          hits,
          hasMore: places.length > offset + limit,
          count: Math.min(count, MAX_COUNTED),
          isCountExact: count <= MAX_COUNTED,
        };
      }
      const described = new Set(hits.map(({ place }) => place));
      for (const place of shown) {
        if (!described.has(place)) this.#memory.mark(place.type, place.id);
      }
    }
  }

  private readableKinds(ctx: RequestContext, types: Question['types']): ReadableKind[] {
    const { kinds } = this.#memory;
    const names = new Set(kinds.map(({ resource }) => resource.name));
    const unknownType = types?.find((type) => !names.has(type));
    if (unknownType !== undefined) {
      throw invalidField('types', 'is no type that searches find', unknownType);
    }
    const asked = types ? new Set(types) : undefined;
    return kinds.flatMap((kind) => {
      const { resource } = kind;
      if (asked?.has(resource.name) === false) return [];
      const where = readable(ctx, resource);
      if (!where && asked) throw failure('UNAUTHORIZED');
      return where ? [{ kind, where }] : [];
    });
  }

  private async places(
    ctx: RequestContext,
    kinds: readonly ReadableKind[],
    sought: Sought,
    window: Window,
  ): Promise<FoundPlaces> {
    const visible = await visibleIds(ctx, kinds);
    return this.inTurn(ctx.scope, async () => {
      const entities = await this.#memory.present();
      return inSlices(findPlaces(listsOf(kinds, entities, visible), sought, window), {
        yieldNow: async () => {
          await immediately();
          refuseEnded(ctx.scope);
        },
      });
    });
  }

  private inTurn<T>(scope: RequestScope | undefined, work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      refuseEnded(scope);
      return work();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** @throws ApiError TIMEOUT if the request is over */
function refuseEnded(scope: RequestScope | undefined): void {
  if (scope?.maySend === false) throw failure('TIMEOUT');
}

function checkedText(text: string): string {
  if (!isStorableText(text)) throw invalidField('text', UNSTORABLE, '');
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_TEXT_LENGTH) {
    throw invalidField('text', `must have 1 to ${String(MAX_TEXT_LENGTH)} characters`, text);
  }
  return trimmed;
}

type IdsByType = ReadonlyMap<string, ReadonlySet<string>>;

/** The ids of the visible rows of each kind of which the caller may read only some rows. */
async function visibleIds(ctx: RequestContext, kinds: readonly ReadableKind[]): Promise<IdsByType> {
  const partial = kinds.filter(({ where }) => where('e') !== TRUE);
  const ids = new Map(partial.map(({ kind }) => [kind.resource.name, new Set<string>()]));
  if (partial.length === 0) return ids;
  const rows = await ctx.store.rows(
    typedRows(
      partial.map(({ kind, where }) => ({ resource: kind.resource, attributes: [], where })),
    ),
  );
  for (const { type, id } of rows) ids.get(type)?.add(id);
  return ids;
}

const listsOf = (
  kinds: readonly ReadableKind[],
  entities: SearchedEntities,
  visible: IdsByType,
): Parameters<typeof findPlaces>[0] =>
  kinds.map(({ kind: { resource } }) => ({
    type: resource.name,
    entries: entities.get(resource.name) ?? [],
    visible: visible.get(resource.name),
  }));

/** Reads the entities of these places, as far as they exist and still match. */
async function describeHits(
  ctx: RequestContext,
  kinds: readonly ReadableKind[],
  sought: Sought,
  places: readonly Place[],
): Promise<Hit[]> {
  const idsByType = new Map<string, string[]>();
  for (const { type, id } of places) idsByType.set(type, [...(idsByType.get(type) ?? []), id]);
  const hitKinds = kinds.filter(({ kind }) => idsByType.has(kind.resource.name));
  if (hitKinds.length === 0) return [];
  const rows = await ctx.store.rows(
    typedRows(
      hitKinds.map(({ kind: { resource, attributes }, where }) => ({
        resource,
        attributes,
        where: (alias) => and(isAmong(alias, idsByType.get(resource.name) ?? []), where(alias)),
      })),
    ),
  );
  const rowsByKey = new Map(rows.map((row) => [keyOf(row), row]));
  return places.flatMap((place) => {
    const kind = hitKinds.find((each) => each.kind.resource.name === place.type)?.kind;
    const row = rowsByKey.get(keyOf(place));
    return kind && row ? (hitOf(place, kind, row, sought) ?? []) : [];
  });
}

const keyOf = ({ type, id }: { readonly type: string; readonly id: string }): string =>
  `${type} ${id}`;

function hitOf(
  place: Place,
  { resource, readTexts }: SearchedKind,
  { values }: TypedRow,
  sought: Sought,
): Hit | undefined {
  const texts = textsOfEntity(readTexts, values);
  const best = bestText(texts, sought);
  if (!best) return undefined;
  const { by, text, tag } = best;
  const name = texts.find((one) => one.by === 'NAME')?.text ?? null;
  return {
    place,
    name: resource.attributes.has('name') ? name : null,
    matchedBy: by,
    matchedText: text,
    tag: tag ?? null,
  };
}
