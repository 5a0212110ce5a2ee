import { description, plainText, type Field, type Fields, type Kind } from './description.js';
import { isList, kindOfModel, kindOfType, namedType, SCALAR_SHAPES } from './fields.js';

/** How a member of an input is edited. */
export type Control =
  | 'boolean'
  | 'choice'
  | 'entities'
  | 'entity'
  | 'group'
  | 'json'
  | 'long'
  | 'number'
  | 'roles'
  | 'secret'
  | 'text'
  | 'texts'
  | 'time';

export interface InputField {
  readonly name: string;
  readonly control: Control;
  readonly isRequired: boolean;
  readonly description: string;
  /** Of a choice: its values with their descriptions. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Of an entity, of entities, and of roles: the kind of what they name. */
  readonly kind?: Kind;
  /** Of roles: the names of those that the graph gives. */
  readonly names?: ReadonlyMap<string, string>;
  /** Of a group: its members. */
  readonly fields?: readonly InputField[];
  /** Of JSON: its schema, where an entity has one. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

const SECRET = /^(password|identitySecret)$/;
const LONG = /Pem$/;

/** The members of an input of a type, the required ones first. */
export function inputFields(input: string, type: string): readonly InputField[] {
  const fields = Object.entries(description.inputs[input] ?? {}).map(([name, field]) =>
    inputField(name, field, type),
  );
  const rank = ({ name, isRequired }: InputField): number =>
    name === 'name' ? 0 : isRequired ? 1 : 2;
  return fields.sort((a, b) => rank(a) - rank(b));
}

function inputField(name: string, field: Field, owner: string): InputField {
  const named = namedType(field.type);
  const naming = namingOf(name, field.type, owner);
  const choices = description.enums[named];
  const isGroup = named in description.inputs && !isList(field.type);
  return {
    name,
    control: controlOf(name, field.type),
    isRequired: field.type.endsWith('!'),
    description: plainText(field.description),
    ...(choices ? { choices } : {}),
    ...naming,
    ...(isGroup ? { fields: inputFields(named, '') } : {}),
  };
}

type Naming = Required<Pick<InputField, 'control' | 'kind'>>;

/** How a member names entities, if it does. */
function namingOf(name: string, type: string, owner: string): Naming | undefined {
  const fields = description.types[owner] ?? {};
  const isId = namedType(type) === 'ID';
  if (`${name}Display` in fields) {
    // Lists of roles have the list beside them that names their entries.
    const kind = kindOfModel(name.replace(/Roles$/, ''));
    return kind && { control: 'roles', kind };
  }
  const kind = kindOfType(REFERENCES[name] ?? '') ?? (isId ? kindOf(name, fields) : undefined);
  return kind && { control: isList(type) ? 'entities' : 'entity', kind };
}

/** Members that have the id of an entity, where the schema says so in words alone. */
const REFERENCES: Readonly<Record<string, string>> = {
  allowedSigners: 'ExternalJwtSigner',
  ottca: 'CertificateAuthority',
  requireExtJwtSigner: 'ExternalJwtSigner',
};

function controlOf(name: string, type: string): Control {
  const named = namedType(type);
  if (named in description.inputs) return isList(type) ? 'json' : 'group';
  if (isList(type)) return named === 'String' || named === 'ID' ? 'texts' : 'json';
  if (named in description.enums) return 'choice';
  if (SECRET.test(name)) return 'secret';
  if (LONG.test(name)) return 'long';
  return SCALAR_SHAPES[named] ?? 'json';
}

/**
 * The kind of the entities that an id, or a list of ids, names: `authPolicyId` beside `authPolicy`, `router`,
 * and `configs` beside `configsConnection`.
 */
function kindOf(name: string, fields: Fields): Kind | undefined {
  const nodes = fields[`${name}Connection`]?.nodes;
  const related = fields[name.replace(/Id$/, '')];
  return kindOfType(nodes ?? (related ? namedType(related.type) : ''));
}
