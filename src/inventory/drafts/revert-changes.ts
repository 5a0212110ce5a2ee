import type { ModelChange } from '../../access/analysis/index.js';
import type { JsonObject } from '../../base/row.js';
import { changes, type NamingMember } from '../../data/rows/change/index.js';
import { attribute, described, id, list, objects, text } from '../../kernel/declare/attribute.js';
import { dependentsOf } from '../../kernel/declare/dependents.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Resource } from '../../kernel/declare/resource.js';
import { columnsOf } from '../../kernel/read/columns.js';
import { matchingRows } from '../../kernel/read/entity-table.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { askedChanges, type ReadableTypes } from './asked-changes.js';
import type { ExpectedRevision } from './expected-revisions.js';
import { adaptedToOwners } from './kept-entities.js';
import { loggedEntities, type LoggedEntity } from './logged-entity.js';
import { orderedChanges } from './ordered-changes.js';
import { ChangesByEntity } from './changes-by-entity.js';
import { possibleChanges, readSurroundings } from './possible-changes.js';
import { obstacle, RevertObstacle } from './revert-obstacle.js';
import { loggedAttributes, revertedEntity, type Reverted, type Undoing } from './undoing.js';

@described('An entity whose changes are to be undone.')
export class RevertedEntity {
  @attribute(text(), { description: 'Its type, as in the change log.' })
  readonly type!: string;

  @attribute(id(), { description: 'Its id.' })
  readonly entityId!: string;

  @attribute(text(), {
    nullable: true,
    description: 'Its present name or, for an entity that does not exist, its last one.',
  })
  readonly name!: string | null;

  @attribute(list(id()), { description: 'Those of the changes that are about it.' })
  readonly changeIds!: readonly string[];

  @attribute(objects(() => RevertObstacle), {
    description: 'Reasons why it does not come back exactly; empty if it does.',
  })
  readonly obstacles!: readonly RevertObstacle[];
}

/** The changes that undo others, and what they can not undo. */
export interface Reversal {
  /** In an order in which they can be applied. */
  readonly changes: readonly ModelChange[];
  /** The present revisions of the entities that they alter. */
  readonly ifRevisions: readonly ExpectedRevision[];
  readonly entities: readonly RevertedEntity[];
}

/** Finds the changes that bring entities back to their states before changes of the log. */
export async function revertChanges(
  ctx: RequestContext,
  ids: readonly string[],
  readable: ReadableTypes,
): Promise<Reversal> {
  const asked = await askedChanges(ctx.store, ids, readable);
  const entities = loggedEntities(ctx.catalog, asked);
  const alone = await withPresentStates(ctx, entities);
  const planned = new ChangesByEntity(ctx.catalog, undoingsOf(alone));
  const adapted = alone.map((reverted) => adaptedToOwners(reverted, planned));
  const surroundings = await readSurroundings(ctx, undoingsOf(adapted));
  const possible = possibleChanges(ctx.catalog, adapted, surroundings);
  const companions = await companionObstacles(ctx, possible, new Set(ids), readable);
  const undoings = undoingsOf(possible);
  return {
    changes: orderedChanges(ctx.catalog, undoings, surroundings),
    ifRevisions: undoings.flatMap(({ resource, id, revision }) =>
      revision === null ? [] : [{ type: resource.single, id, revision }],
    ),
    entities: possible.map(({ entity, name, obstacles }) => ({
      type: entity.type,
      entityId: entity.id,
      name,
      changeIds: entity.changeIds,
      obstacles: [...obstacles, ...(companions.get(entity.last.cursor) ?? [])],
    })),
  };
}

const undoingsOf = (all: readonly Reverted[]): Undoing[] =>
  all.flatMap(({ undoing }) => undoing ?? []);

/** Entities whose present states are in memory at the same time. */
const SLICE = 100;

async function withPresentStates(
  ctx: RequestContext,
  entities: readonly LoggedEntity[],
): Promise<Reverted[]> {
  const reverted = new Map<LoggedEntity, Reverted>();
  const byResource = new Map<Resource | undefined, LoggedEntity[]>();
  for (const entity of entities) {
    byResource.set(entity.resource, [...(byResource.get(entity.resource) ?? []), entity]);
  }
  for (const [resource, all] of byResource) {
    for (let from = 0; from < all.length; from += SLICE) {
      const slice = all.slice(from, from + SLICE);
      const states = resource ? await presentStates(ctx, resource, slice) : new Map();
      for (const entity of slice) {
        reverted.set(
          entity,
          revertedEntity(entity, states.get(entity.id) as JsonObject | undefined),
        );
      }
    }
  }
  return entities.flatMap((entity) => reverted.get(entity) ?? []);
}

/** Reads the attributes that the log holds. */
async function presentStates(
  { store, catalog }: RequestContext,
  resource: Resource,
  entities: readonly LoggedEntity[],
): Promise<Map<string, JsonObject>> {
  const names = ['id', 'revision', ...loggedAttributes(resource).map(({ name }) => name)];
  const columns = columnsOf(resource, names, [], catalog);
  const rows = await matchingRows<JsonObject & { readonly id: string }>(
    store,
    resource,
    columns.list('e'),
    { id: entities.map(({ id }) => id) },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The longest list of changes that belong to deletions. */
const MAX_COMPANIONS = 1_000;

/** Finds changes that deletions brought along and that the caller does not undo with them. */
async function companionObstacles(
  { store, catalog }: RequestContext,
  all: readonly Reverted[],
  askedIds: ReadonlySet<string>,
  readable: ReadableTypes,
): Promise<Map<string, RevertObstacle[]>> {
  const members = undoneDeletions(all).flatMap((one) => namingMembers(catalog, one));
  const companions =
    members.length === 0 ? [] : await changes.companionsOf(store, members, MAX_COMPANIONS);
  const byDeletion = new Map<string, typeof companions>();
  for (const companion of companions.filter(({ cursor }) => !askedIds.has(cursor))) {
    const others = byDeletion.get(companion.deletion) ?? [];
    byDeletion.set(companion.deletion, [...others, companion]);
  }
  return new Map(
    [...byDeletion].map(([deletion, own]) => {
      const shown = own.filter(({ type }) => readable?.has(type) !== false);
      const text = `${String(own.length)} changes of other entities came with the deletion`;
      const changeIds = [...new Set(shown.map(({ cursor }) => cursor))];
      return [deletion, [obstacle('ALSO_CHANGED', text, [], changeIds)]];
    }),
  );
}

const undoneDeletions = (all: readonly Reverted[]): LoggedEntity[] =>
  all.flatMap(({ entity, undoing }) =>
    undoing && entity.last.operation === 'delete' ? [entity] : [],
  );

/** The members by which others name a deleted entity. */
function namingMembers(catalog: Catalog, { resource, id, last }: LoggedEntity): NamingMember[] {
  if (!resource) return [];
  const { cursor } = last;
  const keptResources = catalog
    .stored()
    .filter(({ options }) => options.keptWith?.resource === resource.name);
  return [
    ...keptResources.map(({ name }) => ({ cursor, type: name, member: 'id', name: id })),
    ...dependentsOf(catalog, resource)
      .filter(({ attribute }) => attribute.unlogged !== true)
      .map((dependent) => ({
        cursor,
        type: dependent.resource.name,
        member: dependent.attribute.name,
        name: dependent.kind === 'roles' ? `@${id}` : id,
      })),
  ];
}
