import type { Attribute } from '../../kernel/declare/attribute.js';
import { storedAttributes, type Resource } from '../../kernel/declare/resource.js';
import { isObject, textsOf, type JsonObject } from '../../base/row.js';
import type { SelectedEntity } from '../../kernel/declare/rows.js';
import type { Section } from '../transfer/index.js';

/** A place in rows of a resource that names other entities. */
export interface Place {
  readonly path: readonly string[];
  /** `keys` means the keys of an object. */
  readonly form: 'one' | 'list' | 'roles' | 'keys';
  readonly target: string;
  /** The attribute, where the place is a whole attribute. */
  readonly attribute: Attribute | undefined;
}

/** One entity that a row names. */
export interface EntityNaming {
  readonly place: Place;
  readonly target: string;
  readonly id: string;
}

const FORMS = { reference: 'one', references: 'list', roles: 'roles' } as const;

/** Gives the places of a resource: attributes from the catalog, nested ones from export sections. */
export function placesOf(resource: Resource, sections: readonly Section[]): Place[] {
  const attributePlaces = storedAttributes(resource).flatMap((attribute): Place[] => {
    const { type, name } = attribute;
    if (!('target' in type)) return [];
    return [{ path: [name], form: FORMS[type.kind], target: type.target, attribute }];
  });
  const section = sections.find((s) => s.resource === resource);
  const nestedReferences = (section?.references ?? []).filter(
    ({ stored, form }) => stored.length > 1 || form === 'keys',
  );
  return [
    ...attributePlaces,
    ...nestedReferences.map(({ stored, form, target }): Place => ({
      path: stored,
      form,
      target,
      attribute: undefined,
    })),
  ];
}

/** Gives all entities that a row names. */
export const namingsOf = (places: readonly Place[], row: SelectedEntity): EntityNaming[] =>
  places.flatMap((place) =>
    idsAt(place, valueAt(row, place.path)).flatMap((id) => {
      const special = place.attribute?.type.kind === 'reference' && place.attribute.type.instead;
      const specialTarget = special ? special(id) : undefined;
      if (specialTarget === null) return [];
      const [target, own] = specialTarget ?? [place.target, id];
      return [{ place, target, id: own }];
    }),
  );

const valueAt = (row: SelectedEntity, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), row);

function idsAt({ form }: Place, value: unknown): string[] {
  if (form === 'one') return typeof value === 'string' ? [value] : [];
  if (form === 'keys') return isObject(value) ? Object.keys(value) : [];
  const texts = textsOf(value);
  if (form === 'list') return texts;
  return texts.filter((role) => role.startsWith('@')).map((role) => role.slice(1));
}

/** Gives a list or map without the entries that name one of the ids. */
export function without({ form }: Place, value: unknown, ids: ReadonlySet<string>): unknown {
  if (form === 'keys') {
    return Object.fromEntries(Object.entries(value as JsonObject).filter(([key]) => !ids.has(key)));
  }
  const prefix = form === 'roles' ? '@' : '';
  const removed = new Set([...ids].map((id) => `${prefix}${id}`));
  return textsOf(value).filter((entry) => !removed.has(entry));
}
