import type { Attribute } from '../kernel/declare/attribute.js';
import { storedAttributes, type Resource } from '../kernel/declare/resource.js';
import { isObject, textsOf, type JsonObject } from '../base/row.js';
import type { SelectedEntity } from '../kernel/declare/rows.js';
import type { Section } from '../transfer/index.js';

/** Where rows of a resource name other entities. */
export interface Place {
  readonly path: readonly string[];
  /** `keys`: the keys of an object. */
  readonly form: 'one' | 'list' | 'roles' | 'keys';
  readonly target: string;
  /** Of the whole attribute, where the place is one. */
  readonly attribute: Attribute | undefined;
}

/** One entity that a row names. */
export interface Naming {
  readonly place: Place;
  readonly target: string;
  readonly id: string;
}

const FORMS = { reference: 'one', references: 'list', roles: 'roles' } as const;

/** Those that are attributes follow from the catalog; those inside of values are declared for documents. */
export function placesOf(resource: Resource, sections: readonly Section[]): Place[] {
  const own = storedAttributes(resource).flatMap((attribute): Place[] => {
    const { type, name } = attribute;
    if (!('target' in type)) return [];
    return [{ path: [name], form: FORMS[type.kind], target: type.target, attribute }];
  });
  const section = sections.find((s) => s.resource === resource);
  const inside = (section?.references ?? []).filter(
    ({ stored, form }) => stored.length > 1 || form === 'keys',
  );
  return [
    ...own,
    ...inside.map(({ stored, form, target }): Place => ({
      path: stored,
      form,
      target,
      attribute: undefined,
    })),
  ];
}

/** Everything that a row names. */
export const namingsOf = (places: readonly Place[], row: SelectedEntity): Naming[] =>
  places.flatMap((place) =>
    idsAt(place, valueAt(row, place.path)).flatMap((id) => {
      const instead = place.attribute?.type.kind === 'reference' && place.attribute.type.instead;
      const named = instead ? instead(id) : undefined;
      if (named === null) return [];
      const [target, own] = named ?? [place.target, id];
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

/** A list or map without the entries that name one of the ids. */
export function without({ form }: Place, value: unknown, ids: ReadonlySet<string>): unknown {
  if (form === 'keys') {
    return Object.fromEntries(Object.entries(value as JsonObject).filter(([key]) => !ids.has(key)));
  }
  const prefix = form === 'roles' ? '@' : '';
  const gone = new Set([...ids].map((id) => `${prefix}${id}`));
  return textsOf(value).filter((entry) => !gone.has(entry));
}
