import type { Attribute } from '../../kernel/declare/attribute.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { storedFault } from '../../kernel/write/check-input.js';
import { ApiError } from '../../base/errors.js';
import type { Resource } from '../../kernel/declare/resource.js';
import { attributeOf, type SelectedEntity } from '../../kernel/declare/rows.js';
import { existingIds } from '../../kernel/read/entity-table.js';
import { textsOf } from '../../base/row.js';
import { normaliseRoles } from '../../kernel/policy/index.js';
import { namingsOf, type EntityNaming, type Place } from './places.js';
import type { Source } from './run.js';

/** A fault of one row. */
export type Fault =
  /** The row names entities that do not exist. */
  | { readonly kind: 'dangling'; readonly place: Place; readonly ids: readonly string[] }
  /** The row belongs to an entity that does not exist. */
  | { readonly kind: 'orphan'; readonly naming: EntityNaming }
  | { readonly kind: 'roles'; readonly name: string; readonly reason: string }
  /** The declaration of an attribute does not allow its value. */
  | { readonly kind: 'value'; readonly reason: string };

/** A resource with the parts that a check reads. */
export interface Subject {
  readonly resource: Resource;
  readonly places: readonly Place[];
  /** The attributes that are read. */
  readonly attributes: readonly Attribute[];
}

/** Gives the faults of each row, by the declarations of its attributes. */
export async function faultsOf(
  source: Source,
  catalog: Catalog,
  { places, attributes }: Subject,
  rows: readonly SelectedEntity[],
): Promise<Fault[][]> {
  const namings = rows.map((row) => namingsOf(places, row));
  const missing = await missingTargets(source, catalog, namings.flat());
  return rows.map((row, i) => [
    ...danglingFaults((namings[i] ?? []).filter((n) => missing.get(n.target)?.has(n.id))),
    ...valueFaults(attributes, row),
  ]);
}

/** Gives the ids without an entity, by target. */
async function missingTargets(
  source: Source,
  catalog: Catalog,
  namings: readonly EntityNaming[],
): Promise<Map<string, Set<string>>> {
  const missing = new Map<string, Set<string>>();
  for (const { target, id } of namings) {
    missing.set(target, (missing.get(target) ?? new Set()).add(id));
  }
  for (const [target, ids] of missing) {
    const resource = catalog.get(target);
    for (const { id } of await existingIds(source, resource, [...ids])) ids.delete(id);
  }
  return missing;
}

function danglingFaults(namings: readonly EntityNaming[]): Fault[] {
  const faults: Fault[] = [];
  const lists = new Map<Place, string[]>();
  for (const naming of namings) {
    const { place, id } = naming;
    const type = place.attribute?.type;
    if (type?.kind === 'reference' && type.onDelete === 'cascade') {
      faults.push({ kind: 'orphan', naming });
    } else lists.set(place, [...(lists.get(place) ?? []), id]);
  }
  for (const [place, ids] of lists) faults.push({ kind: 'dangling', place, ids });
  return faults;
}

function valueFaults(attributes: readonly Attribute[], row: SelectedEntity): Fault[] {
  return attributes.flatMap((a): Fault[] => {
    const value = attributeOf(row, a.name);
    const reason = storedFault(a, value);
    if (reason !== undefined) return [{ kind: 'value', reason }];
    if (a.type.kind !== 'roles') return [];
    const fault = roleListFault(a.name, textsOf(value));
    return fault === undefined ? [] : [{ kind: 'roles', name: a.name, reason: fault }];
  });
}

/** Stored role lists must be in normal form: all readers rely on it. */
function roleListFault(name: string, roles: readonly string[]): string | undefined {
  try {
    const normal = normaliseRoles(name, roles);
    const isNormal = normal.length === roles.length && normal.every((role, i) => role === roles[i]);
    return isNormal ? undefined : 'must be a set in the order of bytes';
  } catch (error) {
    if (!(error instanceof ApiError) || error.detail?.kind !== 'field') throw error;
    return error.detail.reason;
  }
}

export function describe(fault: Fault, catalog: Catalog): string {
  if (fault.kind === 'orphan') {
    const { target, id } = fault.naming;
    return `belongs to ${catalog.get(target).label} ${id}, which does not exist`;
  }
  if (fault.kind === 'dangling') {
    const { label } = catalog.get(fault.place.target);
    const what = fault.ids.map((id) => `${label} ${id}`).join(', ');
    const verb = fault.ids.length === 1 ? 'does' : 'do';
    return `${fault.place.path.join('.')} names ${what}, which ${verb} not exist`;
  }
  return fault.kind === 'roles' ? `${fault.name} is no role list: ${fault.reason}` : fault.reason;
}
