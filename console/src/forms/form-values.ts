import type { Kind } from '../description/description.js';
import { wordsOf } from '../description/names.js';
import type { Control, InputField } from '../description/inputs.js';
import { texts } from '../texts.js';
import type { FormFaults } from './faults.js';
import { BrokenJson } from './json-value.js';
import { schemaFaults } from './schema/schema-faults.js';
import { beginningOf } from './schema/shape.js';
import { entriesOf, isTyped } from './typed-name.js';

/** The values of a form: of a group its members, of JSON that is not finished its text. */
export type FormValues = Readonly<Record<string, unknown>>;

/** Makes what a form begins with from an entity, or from nothing. */
export function valuesOf(fields: readonly InputField[], entity: FormValues): FormValues {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field, entity)]));
}

function valueOf(
  { name, control, fields = [], isRequired }: InputField,
  entity: FormValues,
): unknown {
  const value = entity[name];
  if (control === 'group') return valuesOf(fields, objectOf(value));
  if (value === undefined || value === null) {
    return isRequired ? BEGINNINGS[control] : undefined;
  }
  return value;
}

/** The first values of members that may not be missing. */
const BEGINNINGS: Partial<Record<Control, unknown>> = {
  boolean: false,
  entities: [],
  roles: [],
  texts: [],
};

/** Whether a value may be missing at first; an empty list is one. */
export const isAwaited = ({ control, isRequired }: InputField): boolean =>
  isRequired && BEGINNINGS[control] === undefined;

const objectOf = (value: unknown): FormValues =>
  typeof value === 'object' && value !== null ? (value as FormValues) : {};

/** The members of the input that a form makes; `undefined` and empty ones are left out. */
export function inputOf(
  fields: readonly InputField[],
  values: FormValues,
): Readonly<Record<string, unknown>> {
  const members = fields.map((field) => [field.name, memberOf(field, values[field.name])] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function memberOf({ control, fields = [], schema }: InputField, value: unknown): unknown {
  if (control === 'group') {
    const group = inputOf(fields, objectOf(value));
    return Object.keys(group).length === 0 ? undefined : group;
  }
  if (schema && value === undefined) return beginningOf(schema, schema);
  return value === undefined || value === null || value === '' ? undefined : value;
}

/** The members that differ from the input of before; what was emptied becomes null. */
export function changedMembers(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}

/** Finds missing values and broken JSON before the controller is asked. */
export function faultsOf(fields: readonly InputField[], values: FormValues, path = ''): FormFaults {
  return Object.assign(
    {},
    ...fields.map((field) => faultsOfField(field, values[field.name], `${path}${field.name}`)),
  ) as FormFaults;
}

function faultsOfField(field: InputField, value: unknown, path: string): FormFaults {
  const { control, fields = [], schema, kind } = field;
  if (control === 'group') return faultsOf(fields, objectOf(value), `${path}.`);
  if (control === 'roles' && kind) return faultsOfRoles(kind, value, path);
  if (schema) {
    const given = value ?? beginningOf(schema, schema);
    return schemaFaults(schema, { schema, value: given, path, isRequired: true });
  }
  if (value instanceof BrokenJson) return { [path]: texts.form.faults.json };
  return field.isRequired && isEmpty(value) ? { [path]: texts.form.faults.required } : {};
}

const isEmpty = (value: unknown): boolean => value === undefined || value === '';

function faultsOfRoles({ list }: Kind, value: unknown, path: string): FormFaults {
  const missing = entriesOf(value)
    .filter(isTyped)
    .find(({ isMissing }) => isMissing);
  return missing ? { [path]: texts.form.faults.unknownName(missing.name, wordsOf(list)) } : {};
}
