import { isObject, memberOf, type JsonObject } from '../json-value.js';

/*
 * The part of JSON schema (draft 07) that a form can show. The controller checks the rest. A compiler
 * of schemas can not run here: the content security policy forbids to make code from text.
 */

export type JsonSchema = JsonObject;

/** The part of a schema for one place, with its references and `allOf` brought together. */
export interface SchemaPart {
  readonly keywords: JsonObject;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** Those with `if`. */
  readonly conditions: readonly JsonSchema[];
}

const MAX_STEPS = 200;
const NOTHING: SchemaPart = { keywords: {}, properties: {}, required: [], conditions: [] };

/** Reads a place of a schema; undefined where the form can not follow it. */
export function readPart(
  root: JsonSchema,
  schema: unknown,
  steps = { left: MAX_STEPS },
): SchemaPart | undefined {
  steps.left -= 1;
  if (!isObject(schema) || steps.left < 0) return undefined;
  const { $ref, allOf, ...own } = schema;
  const others = [
    ...($ref === undefined ? [] : [referenced(root, $ref)]),
    ...(Array.isArray(allOf) ? (allOf as readonly unknown[]) : []),
  ];
  let part = NOTHING;
  for (const other of others) {
    const read = readPart(root, other, steps);
    if (!read) return undefined;
    part = together(part, read);
  }
  return together(part, ownPart(own));
}

function ownPart({ properties, required, ...keywords }: JsonSchema): SchemaPart {
  return {
    keywords,
    properties: isObject(properties) ? properties : {},
    required: textsIn(required),
    conditions: keywords.if === undefined ? [] : [keywords],
  };
}

function together(a: SchemaPart, b: SchemaPart): SchemaPart {
  const both = Object.entries(b.properties).map(([name, schema]) => {
    const other = memberOf(a.properties, name);
    return [name, other === undefined ? schema : { allOf: [other, schema] }] as const;
  });
  return {
    keywords: { ...a.keywords, ...b.keywords },
    properties: { ...a.properties, ...Object.fromEntries(both) },
    required: [...a.required, ...b.required],
    conditions: [...a.conditions, ...b.conditions],
  };
}

/** `#/definitions/port`; other references lead nowhere. */
function referenced(root: JsonSchema, reference: unknown): unknown {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  const steps = reference.slice(2).split('/');
  return steps.reduce<unknown>(
    (at, step) => memberOf(at, step.replaceAll('~1', '/').replaceAll('~0', '~')),
    root,
  );
}

export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/** The members that an object needs, as it is now. */
export function requiredMembers(
  root: JsonSchema,
  { required, conditions }: SchemaPart,
  value: unknown,
): ReadonlySet<string> {
  const conditional = conditions.flatMap((condition) => {
    const isMet = fits(root, condition.if, value);
    if (isMet === undefined) return [];
    return readPart(root, isMet ? condition.then : condition.else)?.required ?? [];
  });
  return new Set([...required, ...conditional]);
}

/** The members that an object needs or may come to need, those of one condition together. */
export const mentionedMembers = (
  root: JsonSchema,
  { required, conditions }: SchemaPart,
): readonly string[] => [
  ...required,
  ...conditions
    .flatMap((condition) => [condition.else, condition.if, condition.then])
    .flatMap((branch) => readPart(root, branch)?.required ?? []),
];

const UNDERSTOOD = new Set(['properties', 'required', 'const', 'enum']);

/** Whether a value fits a simple condition; undefined for one that is not simple. */
function fits(root: JsonSchema, condition: unknown, value: unknown): boolean | undefined {
  const part = readPart(root, condition);
  if (!part) return undefined;
  const { keywords, properties, required } = part;
  if (!Object.keys(keywords).every((keyword) => UNDERSTOOD.has(keyword))) return undefined;
  if (!isAllowed(keywords, value)) return false;
  if (!isObject(value)) return true;
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  const members = Object.entries(properties)
    .filter(([name]) => Object.hasOwn(value, name))
    .map(([name, schema]) => fits(root, schema, value[name]));
  return members.includes(undefined) ? undefined : !members.includes(false);
}

function isAllowed({ const: only, enum: values }: JsonObject, value: unknown): boolean {
  const text = JSON.stringify(value);
  if (only !== undefined && JSON.stringify(only) !== text) return false;
  return !Array.isArray(values) || values.some((each) => JSON.stringify(each) === text);
}
