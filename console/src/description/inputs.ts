import { description, plainText, type Field, type Kind } from './description.js';
import { isList, namedType, SCALAR_SHAPES } from './fields.js';

/** How a member of an input is edited. */
export type Control =
  | 'boolean'
  | 'choice'
  | 'entity'
  | 'group'
  | 'json'
  | 'long'
  | 'number'
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
  /** Of an entity: its kind. */
  readonly kind?: Kind;
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
  const kind = isList(field.type) ? undefined : kindOf(name, named, owner);
  const choices = description.enums[named];
  const isGroup = named in description.inputs && !isList(field.type);
  return {
    name,
    control: kind ? 'entity' : controlOf(name, field.type),
    isRequired: field.type.endsWith('!'),
    description: plainText(field.description),
    ...(choices ? { choices } : {}),
    ...(kind ? { kind } : {}),
    ...(isGroup ? { fields: inputFields(named, '') } : {}),
  };
}

function controlOf(name: string, type: string): Control {
  const named = namedType(type);
  if (named in description.inputs) return isList(type) ? 'json' : 'group';
  if (isList(type)) return named === 'String' || named === 'ID' ? 'texts' : 'json';
  if (named in description.enums) return 'choice';
  if (SECRET.test(name)) return 'secret';
  if (LONG.test(name)) return 'long';
  return SCALAR_SHAPES[named] ?? 'json';
}

/** The kind of the entity that an id names: `authPolicyId` beside `authPolicy`, and `router`. */
function kindOf(name: string, named: string, owner: string): Kind | undefined {
  if (named !== 'ID') return undefined;
  const related = description.types[owner]?.[name.replace(/Id$/, '')];
  return related && description.kinds[namedType(related.type)];
}
