import { isObject } from '../../base/row.js';
import { MAX_STORED_LEVELS, nameFault, scalarFault } from '../../base/storable.js';

/** The levels of an entity as a whole: its values are one level below. */
const MAX_LEVELS = MAX_STORED_LEVELS + 1;

/** The longest key of a B-tree or GIN index; PostgreSQL refuses at about 2,700 bytes. */
const MAX_INDEXED_LENGTH = 2_600;

/** The result of a walk over the values of one entity. */
export interface Walk {
  /** The characters of all texts and names, and one for every other value. */
  readonly size: number;
  readonly fault: { readonly field: string; readonly reason: string } | undefined;
}

/** Finds values that can not be stored, at any place in an entity. */
export function walkEntity(entity: object): Walk {
  const open: { value: unknown; path: readonly string[] }[] = [{ value: entity, path: [] }];
  let size = 0;
  for (let item = open.pop(); item; item = open.pop()) {
    const { value, path } = item;
    const reason = faultOf(value, path);
    if (reason !== undefined) return { size, fault: { field: path.join('.'), reason } };
    size += typeof value === 'string' ? value.length : 1;
    if (!isObject(value) && !Array.isArray(value)) continue;
    for (const [key, member] of Object.entries(value)) {
      const place = [...path, key];
      const keyFault = nameFault(key);
      if (keyFault !== undefined)
        return { size, fault: { field: place.join('.'), reason: keyFault } };
      size += key.length;
      open.push({ value: member, path: place });
    }
  }
  return { size, fault: undefined };
}

function faultOf(value: unknown, path: readonly string[]): string | undefined {
  if (path.length > MAX_LEVELS) return `is nested more than ${String(MAX_LEVELS)} levels deep`;
  return scalarFault(value);
}

/** Gives the reason why a value can not be stored in an indexed column, if any. */
export function indexFault(value: unknown): string | undefined {
  const texts = Array.isArray(value) ? value : [value];
  const isLong = texts.some(
    (text: unknown) => typeof text === 'string' && Buffer.byteLength(text) > MAX_INDEXED_LENGTH,
  );
  return isLong ? `must be at most ${String(MAX_INDEXED_LENGTH)} bytes long` : undefined;
}
