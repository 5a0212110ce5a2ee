import {
  attributesOf,
  inputNameOf,
  isWritable,
  type AttributeType,
  type InputVerb,
  type Shape,
} from '../kernel/declare/attribute.js';
import { inputFaults } from '../kernel/write/check-input.js';
import { ApiError } from '../base/errors.js';
import type { Resource } from '../kernel/declare/resource.js';
import { attributeOf } from '../kernel/declare/rows.js';
import { isObject, type JsonObject } from '../base/row.js';
import type { Section } from './section.js';

/** What the write pipeline takes; members that a document leaves out keep their current values. */
export function inputOf(section: Section, stored: JsonObject, current: object = {}): JsonObject {
  const input: JsonObject = {};
  for (const a of section.attributes) {
    const given = stored[a.name];
    const value =
      given === undefined ? attributeOf(current, a.name) : withLists(a.inputType ?? a.type, given);
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

/** Whether a write would change nothing of what a document carries. */
export const isUnchanged = (section: Section, values: object, current: object): boolean =>
  section.attributes.every(
    (a) =>
      !isWritable(a, 'replace') ||
      attributeOf(values, a.name) === undefined ||
      isSame(attributeOf(values, a.name), attributeOf(current, a.name)),
  );

/** Equal as JSON: the database does not keep the order of members. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return a === b;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) =>
    isSame(a[key], b[key]),
  );
}

export interface InputFault {
  readonly field: string | null;
  readonly reason: string;
}

/** All faults in the shape of an input, one for each attribute at the most. */
export const shapeFaults = (resource: Resource, verb: InputVerb, input: JsonObject): InputFault[] =>
  inputFaults(resource, verb, input).map(inputFault);

/** What the pipeline refuses an input for; anything else is thrown on. */
export function inputFault(error: unknown): InputFault {
  if (!(error instanceof ApiError)) throw error;
  const { detail } = error;
  if (detail?.kind === 'field') return { field: detail.field, reason: detail.reason };
  return { field: null, reason: detail?.message ?? error.message };
}

/** The member of the document that a field of the pipeline's input came from. */
export function writtenField(section: Section, field: string): string {
  const [first = '', ...rest] = field.split('.');
  const attribute = section.attributes.find((a) => inputNameOf(a) === first || a.name === first);
  const reference = section.references.find((r) => r.stored.join('.') === attribute?.name);
  return [reference?.written.join('.') ?? attribute?.name ?? first, ...rest].join('.');
}
