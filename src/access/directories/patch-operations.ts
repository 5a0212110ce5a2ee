import { canonicalJson } from '../../base/canonical-json.js';
import { isObject, type JsonObject } from '../../base/row.js';
import { memberOf, withMember } from './json-members.js';
import {
  fixedMembers,
  matchesFilter,
  parseFilter,
  segmentsOf,
  type Filter,
} from './scim-filter.js';
import { ScimError } from './scim-error.js';

/*
 * PATCH of RFC 7644 3.5.2, and what providers send beside it: Entra ID writes `Add` and `Replace`, dotted names as
 * members of a value without path, and replaces elements that do not exist; Okta replaces without a path.
 */

const MAX_OPERATIONS = 1_000;

export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string | undefined;
  readonly value: unknown;
}

/** @throws ScimError invalidSyntax */
export function patchOperations(body: JsonObject): PatchOperation[] {
  const operations = memberOf(body, 'Operations');
  if (!Array.isArray(operations) || operations.length > MAX_OPERATIONS) {
    throw invalidSyntax(`Operations must be a list of at most ${String(MAX_OPERATIONS)} entries`);
  }
  return operations.map(patchOperation);
}

const invalidSyntax = (detail: string): ScimError => new ScimError(400, 'invalidSyntax', detail);
const invalidPath = (path: string): ScimError =>
  new ScimError(400, 'invalidPath', `${path} is no path of an attribute`);

function patchOperation(sent: unknown): PatchOperation {
  const entry = isObject(sent) ? sent : {};
  const op = String(memberOf(entry, 'op')).toLowerCase();
  const path = memberOf(entry, 'path');
  if (op !== 'add' && op !== 'replace' && op !== 'remove') {
    throw invalidSyntax('op must be add, replace or remove');
  }
  if (path !== undefined && typeof path !== 'string') throw invalidSyntax('path must be a text');
  if (op === 'remove' && path === undefined) {
    throw new ScimError(400, 'noTarget', 'remove needs a path');
  }
  return { op, path, value: memberOf(entry, 'value') };
}

/** Splits an operation without a path into one for each member of its value. */
export function withPaths(operation: PatchOperation): readonly (PatchOperation & {
  readonly path: string;
})[] {
  const { path, value } = operation;
  if (path !== undefined) return [{ ...operation, path }];
  if (!isObject(value)) throw invalidSyntax('an operation without path needs an object');
  return Object.entries(value).map(([name, member]) => ({
    ...operation,
    path: name,
    value: member,
  }));
}

/** Gives the resource after the operations. */
export const patched = (resource: JsonObject, operations: readonly PatchOperation[]): JsonObject =>
  operations.flatMap(withPaths).reduce(applyOperation, resource);

/** A path with a filter of elements: `emails[type eq "work"].value`. */
const FILTERED = /^([^[\]]+)\[(.+)\](?:\.([^[\]]+))?$/;
const SEGMENT = /^(?:urn:.+|[A-Za-z$][\w$-]*)$/i;

export interface PatchPath {
  readonly segments: readonly string[];
  readonly filter?: Filter;
  /** The member of the chosen elements. */
  readonly member?: string;
}

/** @throws ScimError invalidPath or invalidFilter */
export function patchPath(path: string): PatchPath {
  const [, list, filter, member] = FILTERED.exec(path) ?? [];
  const segments = segmentsOf(list ?? path);
  if (!segments.every((segment) => SEGMENT.test(segment))) throw invalidPath(path);
  if (filter === undefined) return { segments };
  return { segments, filter: parseFilter(filter), ...(member === undefined ? {} : { member }) };
}

function applyOperation(
  resource: JsonObject,
  operation: PatchOperation & { readonly path: string },
): JsonObject {
  const path = patchPath(operation.path);
  return changedAt(resource, path.segments, (current) =>
    path.filter
      ? changedElements(current, operation, path.filter, path.member)
      : changedValue(current, operation),
  );
}

function changedAt(
  value: JsonObject,
  [name = '', ...rest]: readonly string[],
  change: (current: unknown) => unknown,
): JsonObject {
  const current = memberOf(value, name);
  if (rest.length === 0) return withMember(value, name, change(current));
  const inner = changedAt(isObject(current) ? current : {}, rest, change);
  return withMember(value, name, Object.keys(inner).length === 0 ? undefined : inner);
}

function changedValue(current: unknown, { op, value }: PatchOperation): unknown {
  if (op === 'remove' || value === null) return undefined;
  if (op === 'add' && Array.isArray(current)) return union(current as unknown[], listOf(value));
  return isObject(current) && isObject(value) ? { ...current, ...value } : value;
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [value];

/** In linear time: providers may send long lists. */
function union(current: readonly unknown[], added: readonly unknown[]): unknown[] {
  const present = new Set(current.map(canonicalJson));
  return [...current, ...added.filter((one) => !present.has(canonicalJson(one)))];
}

function changedElements(
  current: unknown,
  operation: PatchOperation,
  filter: Filter,
  member: string | undefined,
): unknown {
  const elements = current === undefined ? [] : listOf(current);
  const isChosen = (element: unknown): boolean => matchesFilter(element, filter);
  if (operation.op === 'remove' && member === undefined) {
    return elements.filter((element) => !isChosen(element));
  }
  const change = (element: unknown): unknown => changedElement(element, operation, member);
  if (elements.some(isChosen)) return elements.map((one) => (isChosen(one) ? change(one) : one));
  return operation.op === 'remove' ? elements : [...elements, change(fixedMembers(filter))];
}

function changedElement(
  element: unknown,
  operation: PatchOperation,
  member: string | undefined,
): unknown {
  if (member === undefined) return changedValue(element, { ...operation, op: 'replace' });
  return changedAt(isObject(element) ? element : {}, [member], (current) =>
    changedValue(current, operation),
  );
}
