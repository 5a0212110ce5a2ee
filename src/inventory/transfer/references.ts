import { byteSorted } from '../../base/byte-order.js';
import { isObject, textsOf, type JsonObject } from '../../base/row.js';
import type { Reference } from './section.js';

/** Gives the name for an id or the id for a name; undefined drops the entry. */
export type Translate = (text: string, reference: Reference, field: string) => string | undefined;

/** Converts references in an entity of a document from `@name` to id. */
export const toStored = (
  entity: Readonly<JsonObject>,
  references: readonly Reference[],
  translate: Translate,
): JsonObject => convertedEntity(entity, references, 'written', 'stored', translate);

/** Converts references in a stored row from id to `@name`. */
export const toWritten = (
  row: Readonly<JsonObject>,
  references: readonly Reference[],
  translate: Translate,
): JsonObject => convertedEntity(row, references, 'stored', 'written', translate);

/** Replaces ids in a stored row by others, or leaves them out. */
export const replaceReferences = (
  row: Readonly<JsonObject>,
  references: readonly Reference[],
  translate: Translate,
): JsonObject => convertedEntity(row, references, 'stored', 'stored', translate);

/** Leaves the input unchanged. Values of a wrong shape stay: other code checks shapes. */
function convertedEntity(
  entity: Readonly<JsonObject>,
  references: readonly Reference[],
  from: 'written' | 'stored',
  to: 'written' | 'stored',
  translate: Translate,
): JsonObject {
  let result = entity;
  for (const reference of references) {
    const value = at(entity, reference[from]);
    if (value === undefined) continue;
    const other = converted(value, reference, reference.written.join('.'), translate);
    const translated = to === 'written' ? inOrder(other) : other;
    if (reference[from].join('.') !== reference[to].join('.')) {
      const [member = ''] = reference[from];
      result = Object.fromEntries(Object.entries(result).filter(([name]) => name !== member));
    }
    result = replaced(result, reference[to], translated);
  }
  return result;
}

/** Rows have references in the order of their ids, which differ between networks. */
const inOrder = (value: unknown): unknown =>
  Array.isArray(value) ? byteSorted(textsOf(value)) : value;

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((v, member) => (isObject(v) ? v[member] : undefined), value);
}

function replaced(
  entity: Readonly<JsonObject>,
  [member = '', ...deeper]: readonly string[],
  value: unknown,
): JsonObject {
  const nestedValue = entity[member];
  return {
    ...entity,
    [member]:
      deeper.length > 0 && isObject(nestedValue) ? replaced(nestedValue, deeper, value) : value,
  };
}

function converted(
  value: unknown,
  reference: Reference,
  field: string,
  translate: Translate,
): unknown {
  if (reference.form === 'one') {
    return typeof value === 'string' && value !== ''
      ? (translate(value, reference, field) ?? null)
      : value;
  }
  if (reference.form === 'keys') {
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, entry]) => {
        const other = translate(key, reference, `${field}.${key}`);
        return other === undefined ? [] : [[other, entry]];
      }),
    );
  }
  if (!Array.isArray(value)) return value;
  return value.flatMap((entry: unknown) => {
    if (typeof entry !== 'string' || isAttributeRole(entry, reference)) return [entry];
    return translate(entry, reference, field) ?? [];
  });
}

/** `#attribute` and `#all` name no entity; the rules of role lists refuse entries without a prefix. */
const isAttributeRole = (entry: string, { form }: Reference): boolean =>
  form === 'roles' && !entry.startsWith('@');
