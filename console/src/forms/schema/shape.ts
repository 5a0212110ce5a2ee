import { BrokenJson, isObject } from '../json-value.js';
import {
  mentionedMembers,
  readPart,
  requiredMembers,
  textsIn,
  type JsonSchema,
  type SchemaPart,
} from './json-schema.js';

/** How the form edits a place of a schema. */
export type Shape =
  | { readonly control: 'boolean' }
  /** One of some values. */
  | { readonly control: 'choice'; readonly values: readonly unknown[] }
  /** Some of some texts. */
  | { readonly control: 'choices'; readonly values: readonly string[]; readonly least: number }
  /** A value that is there or not. */
  | { readonly control: 'flag' }
  /** Anything that the form can not say in another way. */
  | { readonly control: 'json' }
  | { readonly control: 'list'; readonly entry: unknown; readonly least: number }
  | {
      readonly control: 'number';
      readonly isInteger: boolean;
      readonly minimum: number;
      readonly maximum: number;
    }
  | {
      readonly control: 'object';
      readonly members: readonly (readonly [name: string, schema: unknown])[];
      /** Whether it may have other members. */
      readonly isOpen: boolean;
      readonly requiredIn: (value: unknown) => ReadonlySet<string>;
    }
  | { readonly control: 'text' }
  | { readonly control: 'texts'; readonly separators: readonly string[]; readonly least: number };

/** A place of a schema with the words for it. */
export interface ShownPart {
  readonly shape: Shape;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly isDeprecated: boolean;
  readonly isNullable: boolean;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export function shownPart(root: JsonSchema, schema: unknown): ShownPart {
  const part = readPart(root, schema);
  const { title, description, deprecated, type } = part?.keywords ?? {};
  return {
    shape: part ? shapeOf(root, part) : { control: 'json' },
    title: textOf(title),
    description: textOf(description),
    isDeprecated: deprecated === true,
    isNullable: textsIn(type).includes('null'),
  };
}

function shapeOf(root: JsonSchema, part: SchemaPart): Shape {
  const type = typeOf(part);
  const { keywords } = part;
  const values = valuesOf(keywords);
  if (type !== 'object' && type !== 'array' && values.length > 0) return choiceOf(type, values);
  return (type === undefined ? undefined : BY_TYPE[type]?.(root, part)) ?? { control: 'json' };
}

/** The only type, beside null. */
function typeOf({ keywords: { type, items }, properties }: SchemaPart): string | undefined {
  if (typeof type === 'string') return type;
  const types = textsIn(type).filter((each) => each !== 'null');
  if (types.length > 0) return types.length === 1 ? types[0] : undefined;
  if (Object.keys(properties).length > 0) return 'object';
  return isObject(items) ? 'array' : undefined;
}

function valuesOf({ const: only, enum: values }: JsonSchema): readonly unknown[] {
  if (only !== undefined) return [only];
  return Array.isArray(values) ? (values as readonly unknown[]) : [];
}

function choiceOf(type: string | undefined, values: readonly unknown[]): Shape {
  const isFlag = type === 'boolean' && values.length === 1 && values[0] === true;
  return isFlag ? { control: 'flag' } : { control: 'choice', values };
}

const numberOf =
  (isInteger: boolean) =>
  (_root: JsonSchema, { keywords: { minimum, maximum } }: SchemaPart): Shape => ({
    control: 'number',
    isInteger,
    minimum: typeof minimum === 'number' ? minimum : -Infinity,
    maximum: typeof maximum === 'number' ? maximum : Infinity,
  });

type ReadShape = (root: JsonSchema, part: SchemaPart) => Shape;

const BY_TYPE: Readonly<Partial<Record<string, ReadShape>>> = Object.assign(
  // Types are names of the schema, which may be those of inherited members.
  Object.create(null) as object,
  {
    array: listOf,
    boolean: () => ({ control: 'boolean' }),
    integer: numberOf(true),
    number: numberOf(false),
    object: objectOf,
    string: () => ({ control: 'text' }),
  } satisfies Record<string, ReadShape>,
);

function objectOf(root: JsonSchema, part: SchemaPart): Shape {
  const members = orderedMembers(root, part);
  if (members.length === 0) return { control: 'json' };
  const { additionalProperties, patternProperties } = part.keywords;
  return {
    control: 'object',
    members,
    isOpen:
      additionalProperties === true || isObject(additionalProperties) || isObject(patternProperties),
    requiredIn: (value) => requiredMembers(root, part, value),
  };
}

/**
 * The members with those first that something requires, then single values, then lists and objects.
 * The database keeps no order of its own.
 */
function orderedMembers(root: JsonSchema, part: SchemaPart): readonly (readonly [string, unknown])[] {
  const mentioned = mentionedMembers(root, part);
  const rank = (name: string, schema: unknown): number => {
    const place = mentioned.indexOf(name);
    if (place >= 0) return place;
    const member = readPart(root, schema);
    const type = member && typeOf(member);
    return mentioned.length + (type === 'object' || type === 'array' ? 1 : 0);
  };
  return Object.entries(part.properties)
    .filter(([, schema]) => schema !== false)
    .map(([name, schema]) => ({ name, schema, rank: rank(name, schema) }))
    .sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name))
    .map(({ name, schema }) => [name, schema] as const);
}

/** Texts with a format, such as addresses, hold no commas: a list of them can be pasted. */
const SEPARATORS = [',', ' '];

function listOf(root: JsonSchema, { keywords: { items, minItems } }: SchemaPart): Shape {
  const entry = readPart(root, items);
  if (!entry) return { control: 'json' };
  const least = typeof minItems === 'number' ? minItems : 0;
  const values = valuesOf(entry.keywords);
  if (typeOf(entry) === 'string' && values.every((each) => typeof each === 'string')) {
    const separators = entry.keywords.format === undefined ? [] : SEPARATORS;
    return values.length > 0
      ? { control: 'choices', values, least }
      : { control: 'texts', separators, least };
  }
  return { control: 'list', entry: items, least };
}

type Fits = (value: unknown) => boolean;

const areTexts: Fits = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const FITS: Readonly<Record<Shape['control'], Fits>> = {
  boolean: (value) => typeof value === 'boolean',
  choice: () => true,
  choices: areTexts,
  flag: (value) => value === true,
  json: () => true,
  list: Array.isArray,
  number: (value) => typeof value === 'number',
  object: isObject,
  text: (value) => typeof value === 'string',
  texts: areTexts,
};

/** Whether the control of the shape can show a value. */
export function canShow({ shape, isNullable }: ShownPart, value: unknown): boolean {
  if (value instanceof BrokenJson) return shape.control === 'json';
  return value === undefined || (isNullable && value === null) || FITS[shape.control](value);
}

const MAX_BEGUN = 100;

/** The first state of a new value: the objects and lists that it needs, as far as these are few. */
export function beginningOf(
  root: JsonSchema,
  schema: unknown,
  begun = { left: MAX_BEGUN },
): unknown {
  const { shape } = shownPart(root, schema);
  begun.left -= 1;
  if (shape.control !== 'object') return shape.control === 'list' ? [] : undefined;
  const required = shape.requiredIn({});
  const members = shape.members
    .filter(([name]) => required.has(name) && begun.left > 0)
    .map(([name, member]) => [name, beginningOf(root, member, begun)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
