import { textsOf, type JsonObject } from '../../base/row.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { uniqueOf, type Resource } from '../../kernel/declare/resource.js';
import { existingIds, holdersOf } from '../../kernel/read/entity-table.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { replaceReferences, sectionsOf, type Reference } from '../transfer/index.js';
import { obstacleAbout, type RevertObstacle } from './revert-obstacle.js';
import { KEPT } from './kept-entities.js';
import { keyOf, ChangesByEntity } from './changes-by-entity.js';
import type { Reverted, Undoing } from './undoing.js';

/*
 * The values that a reversal can set: entities that they name exist at the end, and values that
 * must be unique are free. A value that can not be set may be needed by another change, so the
 * checks run until nothing is left out any more.
 */

/** The network as far as the values depend on it. */
export interface Surroundings {
  /** `<resource> <id>` of the existing entities among those that values name. */
  readonly existing: ReadonlySet<string>;
  /** The entity that has a unique value, by `holderKey`. */
  readonly holders: ReadonlyMap<string, string>;
  readonly references: ReadonlyMap<string, readonly Reference[]>;
}

export const holderKey = ({ table }: Resource, attribute: string, value: string): string =>
  `${table} ${attribute} ${value}`;

/** Reads what the values of the changes need. */
export async function readSurroundings(
  ctx: RequestContext,
  undoings: readonly Undoing[],
): Promise<Surroundings> {
  const references = new Map(
    sectionsOf(ctx.catalog).map((section) => [section.resource.name, section.references]),
  );
  const named = new Map<string, Set<string>>();
  for (const undoing of undoings) {
    translated(undoing, references, (id, target) => {
      named.set(target, (named.get(target) ?? new Set()).add(id));
      return true;
    });
  }
  const existing = new Set<string>();
  for (const [target, ids] of named) {
    const rows = await existingIds(ctx.store, ctx.catalog.get(target), [...ids]);
    for (const { id } of rows) existing.add(keyOf(target, id));
  }
  return { existing, holders: await readHolders(ctx, undoings), references };
}

async function readHolders(
  ctx: RequestContext,
  undoings: readonly Undoing[],
): Promise<Map<string, string>> {
  const values = new Map<string, { resource: Resource; attribute: string; texts: string[] }>();
  for (const { resource, values: set } of undoings) {
    for (const [attribute, text] of uniqueValues(resource, set)) {
      const key = keyOf(resource.name, attribute);
      const group = values.get(key) ?? { resource, attribute, texts: [] };
      group.texts.push(text);
      values.set(key, group);
    }
  }
  const holders = new Map<string, string>();
  for (const { resource, attribute, texts } of values.values()) {
    for (const { id, value } of await holdersOf(ctx.store, resource, attribute, texts)) {
      holders.set(holderKey(resource, attribute, value), id);
    }
  }
  return holders;
}

/** The values among these that no other entity of the table may have. */
export const uniqueValues = (
  resource: Resource,
  values: Readonly<JsonObject>,
): [attribute: string, value: string][] =>
  uniqueOf(resource).flatMap((names): [string, string][] => {
    const [name = '', ...others] = names;
    const value = values[name];
    return others.length === 0 && typeof value === 'string' ? [[name, value]] : [];
  });

/** Leaves out the values that can not be set, and changes that are impossible without them. */
export function possibleChanges(
  catalog: Catalog,
  all: readonly Reverted[],
  surroundings: Surroundings,
): readonly Reverted[] {
  for (let current = all; ;) {
    const planned = new ChangesByEntity(
      catalog,
      current.flatMap(({ undoing }) => undoing ?? []),
    );
    const claimed = new Set<string>();
    const next = current.map((one) => possibleChange(one, surroundings, planned, claimed));
    if (next.every((one, i) => one === current[i])) return current;
    current = next;
  }
}

function possibleChange(
  reverted: Reverted,
  surroundings: Surroundings,
  planned: ChangesByEntity,
  claimed: Set<string>,
): Reverted {
  const { undoing } = reverted;
  if (!undoing || undoing.operation === 'delete') return reverted;
  if (undoing.isBrought && !planned.hasKeeperOf(undoing)) {
    return { ...reverted, undoing: undefined, obstacles: [...reverted.obstacles, KEPT] };
  }
  const gone = withoutGone(undoing, surroundings, planned);
  const inUse = usedValues(undoing, surroundings, planned, claimed);
  const obstacles = [
    ...obstacleAbout('REFERENCE_GONE', 'named entities that are gone', gone.fields),
    ...obstacleAbout('VALUE_IN_USE', 'another entity has the value', inUse),
  ];
  if (obstacles.length === 0) return reverted;
  return {
    ...reverted,
    undoing: withoutAttributes({ ...undoing, values: gone.values }, [...gone.dropped, ...inUse]),
    obstacles: [...reverted.obstacles, ...withoutRepeats(obstacles, reverted.obstacles)],
  };
}

const withoutRepeats = (
  obstacles: readonly RevertObstacle[],
  existing: readonly RevertObstacle[],
) => obstacles.filter(({ text }) => !existing.some((other) => other.text === text));

/** Undefined if the change has nothing left, or lacks what a new entity must have. */
function withoutAttributes(undoing: Undoing, names: readonly string[]): Undoing | undefined {
  const { resource, operation, values } = undoing;
  const isImpossible =
    operation === 'create' &&
    names.some((name) => (resource.attributes.get(name)?.required ?? false) !== false);
  if (isImpossible) return undefined;
  const remaining = Object.entries(values).filter(([name]) => !names.includes(name));
  return remaining.length === 0 ? undefined : { ...undoing, values: Object.fromEntries(remaining) };
}

interface WithoutGone {
  readonly values: JsonObject;
  /** The attributes that named entities that are gone. */
  readonly fields: readonly string[];
  /** Those of them that can hold nothing else. */
  readonly dropped: readonly string[];
}

function withoutGone(
  undoing: Undoing,
  { existing, references }: Surroundings,
  planned: ChangesByEntity,
): WithoutGone {
  const fields = new Set<string>();
  const dropped = new Set<string>();
  const values = translated(undoing, references, (id, target, { stored, form }) => {
    if (planned.isThere(target, id) ?? existing.has(keyOf(target, id))) return true;
    const [attribute = ''] = stored;
    fields.add(attribute);
    if (form === 'one' && stored.length === 1) dropped.add(attribute);
    return false;
  });
  return { values, fields: [...fields], dropped: [...dropped] };
}

/** The attributes whose unique values other entities have, now or after the reversal. */
function usedValues(
  { resource, id, values }: Undoing,
  { holders }: Surroundings,
  planned: ChangesByEntity,
  claimed: Set<string>,
): string[] {
  return uniqueValues(resource, values).flatMap(([attribute, value]) => {
    const key = holderKey(resource, attribute, value);
    const holder = holders.get(key);
    const isFree =
      holder === undefined ||
      holder === id ||
      planned.freeing(resource, attribute, value, holder) !== undefined;
    if (!isFree || claimed.has(key)) return [attribute];
    claimed.add(key);
    return [];
  });
}

type Keeps = (id: string, target: string, reference: Reference) => boolean;

/** Gives the values without the references that are not kept. */
function translated(
  { resource, values }: Undoing,
  references: Surroundings['references'],
  keeps: Keeps,
): JsonObject {
  const own = (references.get(resource.name) ?? []).filter(({ stored }) =>
    Object.hasOwn(values, stored[0] ?? ''),
  );
  return replaceReferences(values, own, (text, reference) => {
    const id = reference.form === 'roles' ? text.slice(1) : text;
    return keeps(id, reference.target, reference) ? text : undefined;
  });
}

/** The entities that the values of a change name. */
export function namedBy(
  undoing: Undoing,
  references: Surroundings['references'],
): [type: string, id: string][] {
  const names: [string, string][] = [];
  translated(undoing, references, (id, target) => {
    names.push([target, id]);
    return true;
  });
  return names;
}

/** The entities that an entity names now by references that prevent their deletion. */
export function holdingBack({ resource, present = {} }: Undoing): string[] {
  return [...resource.attributes.values()].flatMap(({ name, type }) => {
    if (type.kind !== 'reference' || type.onDelete !== 'restrict') return [];
    return textsOf([present[name]]).map((id) => keyOf(type.target, id));
  });
}
