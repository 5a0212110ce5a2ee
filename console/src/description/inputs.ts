import { description, plainText, type Field, type Fields, type Kind } from './description.js';
import { isList, kindOfModel, kindOfType, namedType, SCALAR_SHAPES } from './fields.js';

/** How a member of an input is edited. */
export type Control =
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'clock'
  | 'entities'
  | 'entity'
  | 'group'
  | 'json'
  | 'long'
  | 'number'
  | 'permissions'
  | 'roles'
  | 'rows'
  | 'secret'
  | 'text'
  | 'texts'
  | 'time'
  | 'zone';

export interface InputField {
  readonly name: string;
  readonly control: Control;
  readonly isRequired: boolean;
  readonly description: string;
  /** Of a choice and of choices: the values with their descriptions. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Of an entity, of entities, and of roles: the kind of what they name. */
  readonly kind?: Kind;
  /** Of roles: the names of those that the graph gives. */
  readonly names?: ReadonlyMap<string, string>;
  /** Of a group and of a row: the members. */
  readonly fields?: readonly InputField[];
  /** Of a group: whether an entity may lack it, although it has members that may not be missing. */
  readonly isOptional?: boolean;
  /** Whether the form shows it without changing it. */
  readonly isFixed?: boolean;
  /** Of JSON: its schema, where an entity has one. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

const SECRET = /^(password|identitySecret)$/;
const LONG = /^ca$|Pem$/;

/** Members whose texts have a form that the schema says in words alone. */
const FORMATS: Readonly<Record<string, Control>> = {
  'WeeklyWindowInput.from': 'clock',
  'WeeklyWindowInput.to': 'clock',
  'AdminClaimInput.permissions': 'permissions',
  'CreateIdentityInput.permissions': 'permissions',
  'CreateServicePolicyInput.timeZone': 'zone',
  'UpdateIdentityInput.permissions': 'permissions',
  'UpdateServicePolicyInput.timeZone': 'zone',
};

/** The members of an input of a type, the required ones first. */
export function inputFields(input: string, type: string): readonly InputField[] {
  const fields = Object.entries(description.inputs[input] ?? {}).map(([name, field]) =>
    inputField(name, field, { input, type }),
  );
  const rank = ({ name, isRequired }: InputField): number =>
    name === 'name' ? 0 : isRequired ? 1 : 2;
  return fields.sort((a, b) => rank(a) - rank(b));
}

/** The input that has a member, and the type of the values that it makes. */
interface Owner {
  readonly input: string;
  readonly type: string;
}

function inputField(name: string, field: Field, owner: Owner): InputField {
  const named = namedType(field.type);
  const naming = namingOf(name, field.type, owner.type);
  const choices = description.enums[named];
  return {
    name,
    control: FORMATS[`${owner.input}.${name}`] ?? controlOf(name, field.type),
    isRequired: field.type.endsWith('!'),
    description: plainText(field.description),
    ...(choices ? { choices: ordered(named, choices) } : {}),
    ...naming,
    ...(named in description.inputs ? innerFields(name, field, owner) : {}),
  };
}

/** The members of a group or of a row. */
function innerFields(name: string, { type }: Field, owner: Owner) {
  const ownType = description.types[owner.type]?.[name]?.type ?? '';
  const fields = inputFields(wholeInput(namedType(type)), namedType(ownType));
  const isOptional =
    ![type, ownType].some((each) => each.endsWith('!')) &&
    fields.some(({ isRequired }) => isRequired);
  return { fields, ...(isOptional ? { isOptional } : {}) };
}

/** A form sends all members of a group, so none of them may be missing that a new one needs. */
const wholeInput = (input: string): string => {
  const whole = input.replace(/Patch$/, 'Input');
  return whole in description.inputs ? whole : input;
};

type Choices = Readonly<Record<string, string>>;

/** The schema has the values of each enum in the order of the alphabet. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  Weekday: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'],
};

function ordered(type: string, choices: Choices): Choices {
  const order = ORDERS[type];
  return order ? Object.fromEntries(order.map((value) => [value, choices[value] ?? ''])) : choices;
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

function controlOfList(named: string): Control {
  if (named in description.inputs) return 'rows';
  if (named in description.enums) return 'choices';
  return named === 'String' || named === 'ID' ? 'texts' : 'json';
}

function controlOf(name: string, type: string): Control {
  const named = namedType(type);
  if (isList(type)) return controlOfList(named);
  if (named in description.inputs) return 'group';
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
