import type { InputField } from '../description/inputs.js';

/** The values of a form: of JSON its text, of a group its members. */
export type FormValues = Readonly<Record<string, unknown>>;

/** The faults of a form by the paths of its fields: `primary.updb`. */
export type FormFaults = Readonly<Record<string, string>>;

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
    return control === 'boolean' && isRequired ? false : undefined;
  }
  return control === 'json' ? JSON.stringify(value, undefined, 2) : value;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

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

function memberOf({ control, fields = [] }: InputField, value: unknown): unknown {
  if (control === 'group') {
    const group = inputOf(fields, objectOf(value));
    return Object.keys(group).length === 0 ? undefined : group;
  }
  if (value === undefined || value === null || value === '') return undefined;
  return control === 'json' ? (JSON.parse(textOf(value)) as unknown) : value;
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
export function faultsOf(
  fields: readonly InputField[],
  values: FormValues,
  texts: { readonly required: string; readonly json: string },
  path = '',
): FormFaults {
  return Object.assign(
    {},
    ...fields.map((field): FormFaults => {
      const value = values[field.name];
      const place = `${path}${field.name}`;
      if (field.control === 'group') {
        return faultsOf(field.fields ?? [], objectOf(value), texts, `${place}.`);
      }
      const isEmpty = value === undefined || value === '';
      if (field.isRequired && isEmpty) return { [place]: texts.required };
      const isBroken = field.control === 'json' && !isEmpty && !isJson(textOf(value));
      return isBroken ? { [place]: texts.json } : {};
    }),
  ) as FormFaults;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
