import {
  attributesOf,
  inputNameOf,
  isWritable,
  type AttributeType,
  type InputVerb,
  type Shape,
} from '../../kernel/declare/attribute.js';
import { inputFaults } from '../../kernel/write/check-input.js';
import { ApiError } from '../../base/errors.js';
import type { Resource } from '../../kernel/declare/resource.js';
import { attributeOf } from '../../kernel/declare/rows.js';
import { isObject, type JsonObject } from '../../base/row.js';
import type { Section } from './section.js';

/** Gives the input of the write pipeline; members missing in a document keep their current values. */
export function inputOf(section: Section, stored: JsonObject, current: object = {}): JsonObject {
  const input: JsonObject = {};
  for (const a of section.attributes) {
    const documentValue = stored[a.name];
    const value =
      documentValue === undefined
        ? attributeOf(current, a.name)
        : withLists(a.inputType ?? a.type, documentValue);
    if (value !== undefined) input[inputNameOf(a)] = value;
  }
  return input;
}

const LISTS: readonly AttributeType['kind'][] = ['set', 'references', 'roles'];

/** Other exporters write an empty list as null. */
function withLists(type: AttributeType, value: unknown): unknown {
  if (value === null) return LISTS.includes(type.kind) ? [] : null;
  if (type.kind === 'object' && isObject(value)) return membersWithLists(type.of(), value);
  if (type.kind === 'objects' && Array.isArray(value)) {
    return value.map((item: unknown) =>
      isObject(item) ? membersWithLists(type.of(), item) : item,
    );
  }
  return value;
}

function membersWithLists(shape: Shape, value: JsonObject): JsonObject {
  const result = { ...value };
  for (const { name, type } of attributesOf(shape)) {
    if (result[name] !== undefined) result[name] = withLists(type, result[name]);
  }
  return result;
}

/** Gives the members of the input that a write would change. */
export const changedMembers = (section: Section, values: object, current: object): string[] =>
  section.attributes
    .filter(
      (a) =>
        isWritable(a, 'replace') &&
        attributeOf(values, a.name) !== undefined &&
        !isSame(attributeOf(values, a.name), attributeOf(current, a.name)),
    )
    .map(inputNameOf);

/** Compares as JSON: the database does not keep the order of members. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  }
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (!isObject(a) || !isObject(b)) return a === b;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) =>
    isSame(a[key], b[key]),
  );
}

export interface InputFault {
  readonly field: string | null;
  readonly reason: string;
}

/** Gives the faults in the shape of an input, at most one for each attribute. */
export const shapeFaults = (resource: Resource, verb: InputVerb, input: JsonObject): InputFault[] =>
  inputFaults(resource, verb, input).map(inputFault);

/** Gives the reason of a refusal by the pipeline; throws any other error again. */
export function inputFault(error: unknown): InputFault {
  if (!(error instanceof ApiError)) throw error;
  const { detail } = error;
  if (detail?.kind === 'field') return { field: detail.field, reason: detail.reason };
  return { field: null, reason: detail?.message ?? error.message };
}

/** Gives the member of the document for a field of the pipeline's input. */
export function writtenField(section: Section, field: string): string {
  const [first = '', ...rest] = field.split('.');
  const attribute = section.attributes.find((a) => inputNameOf(a) === first || a.name === first);
  const reference = section.references.find((r) => r.stored.join('.') === attribute?.name);
  return [reference?.written.join('.') ?? attribute?.name ?? first, ...rest].join('.');
}
