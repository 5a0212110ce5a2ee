import { columnsOf } from '../../kernel/read/columns.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { byteSorted } from '../../base/byte-order.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { JsonObject } from '../../base/row.js';
import { attributeOf, type RowOf } from '../../kernel/declare/rows.js';
import { namesById, nextRows } from '../../kernel/read/entity-table.js';
import { disabledMembers } from './disabled.js';
import { isOwn } from './exceptions.js';
import { askedSections } from './read-document.js';
import { toWritten, type Translate } from './references.js';
import { sectionsOf, type Section } from './section.js';

const SLICE = 2_000;

type EntityName = { readonly id: string; readonly name: string };

/** Every exported entity has a name; only identities can be disabled. */
type ExportedRow = EntityName & { readonly isSystem: boolean } & Partial<
    Pick<RowOf<'Identity'>, 'isDefaultAdmin' | 'disabledAt' | 'disabledUntil'>
  >;

/**
 * Gives the network as a document, without entities of the controller itself and without secrets
 * (passwords, enrollment tokens, proofs of authorities). Entities are in the order of their names, so
 * that exports of equal networks are equal.
 */
export async function exportNetwork(
  ctx: RequestContext,
  types: readonly string[] | null | undefined,
): Promise<Record<string, JsonObject[]>> {
  const sections = askedSections(types, sectionsOf(ctx.catalog));
  const rowsBySection = new Map<Section, ExportedRow[]>();
  // A section is read before those it names, so that a named entity exists or has been deleted since.
  for (const section of sections.toReversed())
    rowsBySection.set(section, await readAll(ctx, section));
  const names = await namesOf(ctx, rowsBySection);
  const translate = nameTranslation(names);
  return Object.fromEntries(
    sections.map((section) => [
      section.name,
      sorted(rowsBySection.get(section) ?? []).map((row) =>
        writtenEntity(section, row, translate, ctx.now()),
      ),
    ]),
  );
}

async function readAll(ctx: RequestContext, section: Section): Promise<ExportedRow[]> {
  const { resource } = section;
  const names = ['id', ...section.attributes.map((a) => a.name), ...OPTIONAL_COLUMNS];
  const columns = columnsOf(resource, names, [], ctx.catalog);
  const all: ExportedRow[] = [];
  for (let after = ''; ;) {
    const slice = { after, limit: SLICE };
    const rows = await nextRows<ExportedRow>(ctx.store, resource, columns.list('e'), slice);
    for (const row of rows) if (!isOwn(resource, row)) all.push(row);
    const last = rows.at(-1);
    if (!last || rows.length < SLICE) return all;
    after = last.id;
  }
}

/** Only some resources have these; the others lack them. */
const OPTIONAL_COLUMNS = ['isSystem', 'isDefaultAdmin', 'disabledAt', 'disabledUntil'] as const;

/** Target -> id -> name. */
type Names = Map<string, Map<string, string>>;

/** Replaces ids by `@name`; an entity without a name is left out. */
export const nameTranslation =
  (names: Names): Translate =>
  (text, { target, form }) => {
    const isRole = form === 'roles';
    const name = names.get(target)?.get(isRole ? text.slice(1) : text);
    return name === undefined ? undefined : `@${name}`;
  };

/** Gives the names of all entities that rows name. */
export async function namesOf(
  ctx: RequestContext,
  read: ReadonlyMap<Section, readonly Readonly<JsonObject>[]>,
): Promise<Names> {
  const ids = new Map<string, Set<string>>();
  for (const [section, rows] of read) {
    for (const row of rows) {
      toWritten(row, section.references, (text, { target, form }) => {
        const targetIds = ids.get(target) ?? new Set();
        ids.set(target, targetIds.add(form === 'roles' ? text.slice(1) : text));
        return undefined;
      });
    }
  }
  const names: Names = new Map();
  for (const [target, targetIds] of ids) {
    names.set(target, await readNames(ctx, ctx.catalog.get(target), [...targetIds]));
  }
  return names;
}

async function readNames(
  ctx: RequestContext,
  resource: Resource,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (let from = 0; from < ids.length; from += SLICE) {
    const slice = ids.slice(from, from + SLICE);
    for (const row of await namesById(ctx.store, resource, slice)) names.set(row.id, row.name);
  }
  return names;
}

/** Sorts by name, in byte order; names are unique. */
function sorted(rows: readonly ExportedRow[]): ExportedRow[] {
  const byName = new Map(rows.map((row) => [row.name, row]));
  return byteSorted([...byName.keys()])
    .map((name) => byName.get(name))
    .filter((row) => row !== undefined);
}

function writtenEntity(
  section: Section,
  row: ExportedRow,
  translate: Translate,
  now: Date,
): JsonObject {
  const entity: JsonObject = {};
  for (const { name, omitEmpty } of section.attributes) {
    const value = attributeOf(row, name);
    if (omitEmpty !== true || !isEmpty(value)) entity[name] = value;
  }
  if (section.resource.name === 'Identity') {
    Object.assign(entity, disabledMembers(row, now), { isDefaultAdmin: row.isDefaultAdmin });
  }
  const named = toWritten(entity, section.references, translate);
  return Object.fromEntries(
    byteSorted(Object.keys(named)).map((member) => [member, named[member]]),
  );
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
