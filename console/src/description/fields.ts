import { description, plainText, type Field, type Fields, type Kind } from './description.js';

/** How a value is shown. */
export type Shape =
  | 'boolean'
  | 'certificate'
  | 'certificates'
  | 'enum'
  | 'json'
  | 'members'
  | 'number'
  | 'reference'
  | 'roles'
  | 'rows'
  | 'text'
  | 'texts'
  | 'time';

export interface ShownField {
  readonly name: string;
  readonly shape: Shape;
  readonly description: string;
  /** Of a reference: the kind of the entity. */
  readonly kind?: Kind;
  /** Of members and of rows: their type. */
  readonly type?: string;
}

/** Scalars of the schema; other types are JSON. */
export const SCALAR_SHAPES: Readonly<
  Record<string, 'boolean' | 'json' | 'number' | 'text' | 'time'>
> = {
  Boolean: 'boolean',
  DateTime: 'time',
  Float: 'number',
  ID: 'text',
  Int: 'number',
  JSON: 'json',
  JSONObject: 'json',
  String: 'text',
};

/** `[String!]!` -> `String`. */
export const namedType = (type: string): string => type.replaceAll(/[[\]!]/g, '');

export const isList = (type: string): boolean => type.startsWith('[');

/** Members for programs, secrets that nobody needs to see, and what takes long to find out. */
const NOT_SHOWN = new Set(['nodeId', 'token', 'enrollmentToken', 'revocation']);

/** Types of values that are shown in a way of their own. */
const TYPE_SHAPES: Readonly<Record<string, Shape>> = {
  CertificateDetails: 'certificate',
  NamedRole: 'roles',
};

const LIST_SHAPES: Readonly<Partial<Record<Shape, Shape>>> = { certificate: 'certificates' };

/** Tells whether the caller may read entities of a kind. */
export type MayRead = (kind: Kind) => boolean;

const EVERYTHING: MayRead = () => true;

/**
 * The fields of a type that one row can show, without those that depend on arguments. An entity that the caller may not
 * read is shown by its id.
 */
export function shownFields(type: string, mayRead = EVERYTHING): readonly ShownField[] {
  const isReadable = ({ type: ofField }: Field): boolean => {
    const kind = description.kinds[namedType(ofField)];
    return kind === undefined || mayRead(kind);
  };
  const fields = Object.fromEntries(
    Object.entries(description.types[type] ?? {}).filter(([, field]) => isReadable(field)),
  );
  return Object.entries(fields).flatMap(([name, field]) => {
    const shown = NOT_SHOWN.has(name) ? undefined : shownField(name, field);
    return shown && !isShownByAnother(name, fields) ? [shown] : [];
  });
}

function shownField(name: string, field: Field): ShownField | undefined {
  const { type } = field;
  const text = plainText(field.description);
  if (field.arguments || field.nodes !== undefined || field.isAbstract === true) return undefined;
  const kind = description.kinds[namedType(type)];
  if (!kind) return { name, shape: shapeOf(type), description: text, type: namedType(type) };
  return isList(type) ? undefined : { name, shape: 'reference', description: text, kind };
}

function shapeOf(type: string): Shape {
  const named = namedType(type);
  const own = TYPE_SHAPES[named];
  if (own) return isList(type) ? (LIST_SHAPES[own] ?? own) : own;
  const scalar = SCALAR_SHAPES[named];
  if (isList(type)) return shapeOfList(named);
  if (scalar) return scalar;
  if (named in description.enums) return 'enum';
  return named in description.types ? 'members' : 'json';
}

function shapeOfList(named: string): Shape {
  if (SCALAR_SHAPES[named] === 'text' || named in description.enums) return 'texts';
  return isFlat(named) ? 'rows' : 'json';
}

/** Whether a value has only members that a cell of a table can show. */
function isFlat(type: string): boolean {
  const fields = Object.values(description.types[type] ?? {});
  const isPlain = (named: string): boolean => named in SCALAR_SHAPES || named in description.enums;
  return fields.length > 0 && fields.every((field) => isPlain(namedType(field.type)));
}

/** The fields in the order in which people look for them: what all kinds have comes last. */
export function fieldsOfPage(type: string, mayRead = EVERYTHING): readonly ShownField[] {
  const rank = ({ name }: ShownField): number => {
    if (name === 'name') return 0;
    return IN_ALL_KINDS.has(name) ? 2 : 1;
  };
  return [...shownFields(type, mayRead)].sort((a, b) => rank(a) - rank(b));
}

const IN_ALL_KINDS = new Set(['createdAt', 'id', 'isSystem', 'revision', 'tags', 'updatedAt']);

/** An id beside the reference that has its name; roles beside the list that names them; ids beside a relation. */
const isShownByAnother = (name: string, fields: Fields): boolean =>
  `${name}Display` in fields ||
  (name.endsWith('Id') && name.slice(0, -2) in fields) ||
  (fields[name]?.type === '[ID!]!' && `${name}Connection` in fields);

/** A relation to entities of a kind: a list of its own in the graph. */
export interface Relation {
  readonly name: string;
  readonly description: string;
  readonly kind: Kind;
}

export function relationsOf(type: string): readonly Relation[] {
  return Object.entries(description.types[type] ?? {}).flatMap(([name, field]) => {
    const kind = field.nodes === undefined ? undefined : description.kinds[field.nodes];
    const isOpen = kind && field.needsArguments !== true;
    return isOpen ? [{ name, description: plainText(field.description), kind }] : [];
  });
}

/** The reference to what a kind of entity distinguishes: `configType` of a config. */
const typeMember = (type: string): string | undefined =>
  Object.entries(description.types[type] ?? {}).find(
    ([, field]) => namedType(field.type) === `${type}Type`,
  )?.[0];

/** The members of an entity that its label has. */
export const labelFields = (type: string): readonly string[] => {
  const member = typeMember(type);
  return ['id', 'name', ...(member === undefined ? [] : [member])];
};

/** The text by which people choose an entity: `wiki.hosts (host.v2)`. */
export function labelOf(type: string, entity: Readonly<Record<string, unknown>>): string {
  const name = typeof entity.name === 'string' ? entity.name : String(entity.id);
  const kind = entity[typeMember(type) ?? ''] as { readonly name?: string } | null | undefined;
  return kind?.name === undefined ? name : `${name} (${kind.name})`;
}

export const hasName = (type: string): boolean => description.types[type]?.name !== undefined;

/** The deepest values that are read of an entity; deeper ones are the entities beside it. */
const DEEPEST = 4;

/** Gives the selection that reads a field, with all members of a value. */
export function selectionOf(type: string, name: string, depth = 1): string {
  const field = description.types[type]?.[name];
  if (!field) return '';
  const named = namedType(field.type);
  if (description.kinds[named]) return `${name} { id ${hasName(named) ? 'name' : ''} }`;
  const members = description.types[named];
  if (!members) return name;
  if (depth === DEEPEST) return '';
  const selections = Object.entries(members)
    .filter(([, member]) => !member.arguments && member.nodes === undefined && !member.isAbstract)
    .map(([member]) => selectionOf(named, member, depth + 1))
    .filter((selection) => selection !== '');
  return selections.length === 0 ? '' : `${name} { ${selections.join(' ')} }`;
}

export const kindOfType = (type: string): Kind | undefined => description.kinds[type];

/** `servicePolicy`, as lists of changes and findings have it -> `ServicePolicy`. */
export const typeOfModel = (model: string): string =>
  MODELS[model] ?? model.charAt(0).toUpperCase() + model.slice(1);

export const kindOfModel = (model: string): Kind | undefined => kindOfType(typeOfModel(model));

const MODELS: Readonly<Record<string, string>> = { authority: 'CertificateAuthority' };

export const kindOfList = (list: string): Kind | undefined =>
  Object.values(description.kinds).find((kind) => kind.list === list);
