import { byteSorted } from '../base/byte-order.js';
import { isObject, textsOf, type JsonObject } from '../base/row.js';
import type { Reference } from './section.js';

/** Gives what stands for an entity on the other side; undefined drops the mention. */
export type Translate = (text: string, reference: Reference, field: string) => string | undefined;

/** The mentions of other entities in an entity of a document, from `@name` to id. */
export const toStored = (
  entity: Readonly<JsonObject>,
  references: readonly Reference[],
  translate: Translate,
): JsonObject => moved(entity, references, 'written', 'stored', translate);

/** The mentions of other entities in a stored row, from id to `@name`. */
export const toWritten = (
  row: Readonly<JsonObject>,
  references: readonly Reference[],
  translate: Translate,
): JsonObject => moved(row, references, 'stored', 'written', translate);

/** The input is left as it is. Values of a wrong shape pass unchanged: others judge shapes. */
function moved(
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

/** Rows keep mentions in the order of their ids, which is another one in every network. */
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
  const below = entity[member];
  return {
    ...entity,
    [member]: deeper.length > 0 && isObject(below) ? replaced(below, deeper, value) : value,
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

/** `#attribute` and `#all` name nobody; what has no prefix is for the rules of role lists to refuse. */
const isAttributeRole = (entry: string, { form }: Reference): boolean =>
  form === 'roles' && !entry.startsWith('@');
