import type { ModelChange } from '../../access/analysis/index.js';
import type { JsonObject } from '../../base/row.js';
import {
  attribute,
  described,
  inputNameOf,
  list,
  map,
  text,
} from '../../kernel/declare/attribute.js';
import { attributeOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import {
  documentOf,
  isPower,
  sectionsOf,
  type EntityPart,
  type Section,
} from '../transfer/index.js';
import { keyOf } from './changes-by-entity.js';
import { ownRecord, placeOf, rehearseEach, type WrittenChange } from './write-changes.js';

@described('A list of changes as a document.')
export class ExportedChanges {
  @attribute(map(), {
    description:
      'Section -> entities, as `importNetwork` takes it: new entities, and of others the members that the changes set.',
  })
  readonly document!: JsonObject;

  @attribute(list(text()), {
    description:
      'What the document does not hold, such as deletions, new names and enrollments: one line each.',
  })
  readonly omitted!: readonly string[];
}

/** An entity that changes of the list are about, with the attributes that they set. */
interface ChangedEntity {
  readonly section: Section;
  readonly id: string;
  /** The state before all changes; null for a new entity. */
  readonly before: JsonObject | null;
  /** The state after the changes so far; null for a deleted one. */
  readonly after: JsonObject | null;
  readonly attributes: readonly string[];
}

/**
 * Gives the document whose import has the effect of a list of changes. It holds new entities, and of
 * others the members that the changes set. Nothing is written.
 * @throws ApiError as the writes would
 */
export async function exportChanges(
  ctx: RequestContext,
  changes: readonly ModelChange[],
): Promise<ExportedChanges> {
  const sections = new Map(sectionsOf(ctx.catalog).map((each) => [each.resource.name, each]));
  const entities = new Map<string, ChangedEntity>();
  const omitted: string[] = [];
  const allWritten = await rehearseEach(ctx, changes);
  const created = createdBy(allWritten);
  for (const [i, written] of allWritten.entries()) {
    const section = sections.get(written.resource.name);
    if (!section) continue;
    const key = keyOf(written.resource.name, written.id);
    const input = (changes[i]?.input ?? {}) as JsonObject;
    const changed = afterChange(section, entities.get(key), written, input);
    if (!changed) continue;
    const entity = created.has(key) ? { ...changed, before: null } : changed;
    entities.set(key, entity);
    omitted.push(...omissions(entity, written, input).map((text) => `${placeOf(i)}${text}`));
  }
  const parts = [...entities.values()].flatMap((entity) => partOf(entity) ?? []);
  return { document: await documentOf(ctx, parts), omitted };
}

/** The entities that the changes create, also those that come with others. */
const createdBy = (written: readonly WrittenChange[]): ReadonlySet<string> =>
  new Set(
    written
      .flatMap(({ records }) => records)
      .filter(({ operation }) => operation === 'create')
      .map(({ resource, id }) => keyOf(resource, id)),
  );

/** Adds a change to those of its entity; undefined if there is no such change. */
function afterChange(
  section: Section,
  earlier: ChangedEntity | undefined,
  written: WrittenChange,
  input: JsonObject,
): ChangedEntity | undefined {
  const { operation, id } = written;
  const own = ownRecord(written);
  if (!own) return earlier;
  const set = section.attributes.filter((a) => operation === 'replace' || inputNameOf(a) in input);
  return {
    section,
    id,
    before: earlier ? earlier.before : own.before,
    after: own.after,
    attributes: [...(earlier?.attributes ?? []), ...set.map(({ name }) => name)],
  };
}

/** Gives the parts of a change that an import can not do. */
function omissions(
  { section, before, after }: ChangedEntity,
  { resource, operation }: WrittenChange,
  input: JsonObject,
): string[] {
  if (operation === 'delete') return [': an import deletes nothing'];
  const isRenamed = before !== null && before.name !== after?.name;
  return Object.keys(input).flatMap((member) => {
    const attribute = [...resource.attributes.values()].find((a) => inputNameOf(a) === member);
    if (!attribute || !section.attributes.includes(attribute)) {
      return [`.input.${member}: import files have no such member`];
    }
    if (attribute.name === 'name' && isRenamed) {
      return ['.input.name: an import finds entities by their names, so it renames none'];
    }
    if (before?.isDefaultAdmin === true && isPower(attribute.name)) {
      return [`.input.${member}: an import leaves it to the default administrator`];
    }
    return [];
  });
}

/** The members of the entity in a document; undefined for a deleted one. */
function partOf({ section, id, before, after, attributes }: ChangedEntity): EntityPart | undefined {
  if (!after) return undefined;
  const isNew = before === null;
  const names = isNew ? section.attributes.map(({ name }) => name) : attributes;
  const isHeld = (name: string): boolean => before?.isDefaultAdmin !== true || !isPower(name);
  return {
    resource: section.resource.name,
    id,
    name: String((before ?? after).name),
    values: Object.fromEntries(
      names
        .filter((name) => name in after && isHeld(name))
        .map((name) => [name, attributeOf(after, name)]),
    ),
    isNew,
  };
}
