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

function valueOf(field: InputField, entity: FormValues): unknown {
  const { name, control, fields = [] } = field;
  const value = entity[name] ?? undefined;
  if (value === undefined) return firstValue(field);
  if (control === 'group') return valuesOf(fields, objectOf(value));
  return control === 'rows' ? rowsOf(value).map((row) => valuesOf(fields, row)) : value;
}

function firstValue({ control, fields = [], isOptional, isRequired }: InputField): unknown {
  if (control === 'group') return isOptional === true ? undefined : valuesOf(fields, {});
  return isRequired ? BEGINNINGS[control] : undefined;
}

/** The first values of members that may not be missing. */
const BEGINNINGS: Partial<Record<Control, unknown>> = {
  boolean: false,
  choices: [],
  entities: [],
  roles: [],
  texts: [],
};

/** Whether a value may be missing at first; an empty list is one. */
export const isAwaited = ({ control, isRequired }: InputField): boolean =>
  isRequired && BEGINNINGS[control] === undefined;

export const rowsOf = (value: unknown): readonly FormValues[] =>
  Array.isArray(value) ? value.map(objectOf) : [];

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
  if (schema && value === undefined) return beginningOf(schema, schema);
  if (value === undefined || value === null || value === '') return undefined;
  if (control === 'group') {
    const group = inputOf(fields, objectOf(value));
    return Object.keys(group).length === 0 ? undefined : group;
  }
  return control === 'rows' ? rowsOf(value).map((row) => inputOf(fields, row)) : value;
}

/** The members that differ from the input of before; what was emptied becomes null. */
export function changedMembers(
  fields: readonly InputField[],
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const changed = fields.filter(
    ({ name }) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(
    changed.map((field) => [
      field.name,
      changedValue(field, before[field.name], after[field.name]),
    ]),
  );
}

/** The controller keeps members of a group that are null or absent; an empty text clears one. */
function changedValue(
  { control, fields = [] }: InputField,
  before: unknown,
  after: unknown,
): unknown {
  if (control !== 'group' || after === undefined) return after ?? null;
  const [earlier, later] = [objectOf(before), objectOf(after)];
  const emptied = fields.filter(
    ({ name }) => earlier[name] !== undefined && later[name] === undefined,
  );
  return {
    ...later,
    ...Object.fromEntries(
      emptied.map((field) => [field.name, TEXTS.includes(field.control) ? '' : null]),
    ),
  };
}

const TEXTS: readonly Control[] = ['entity', 'long', 'text'];

/** Finds missing values and broken JSON before the controller is asked. */
export function faultsOf(fields: readonly InputField[], values: FormValues, path = ''): FormFaults {
  return Object.assign(
    {},
    ...fields.map((field) => faultsOfField(field, values[field.name], `${path}${field.name}`)),
  ) as FormFaults;
}

function faultsOfField(field: InputField, value: unknown, path: string): FormFaults {
  const { schema } = field;
  const faults = FAULTS[field.control]?.(field, value, path);
  if (faults) return faults;
  if (schema) {
    const given = value ?? beginningOf(schema, schema);
    return schemaFaults(schema, { schema, value: given, path, isRequired: true });
  }
  if (value instanceof BrokenJson) return { [path]: texts.form.faults.json };
  return field.isRequired && isEmpty(value) ? { [path]: texts.form.faults.required } : {};
}

type FindFaults = (field: InputField, value: unknown, path: string) => FormFaults;

/** The faults of values that consist of others. */
const FAULTS: Readonly<Partial<Record<Control, FindFaults>>> = {
  group: ({ fields = [], isOptional }, value, path) =>
    isOptional === true && value === undefined ? {} : faultsOf(fields, objectOf(value), `${path}.`),
  roles: ({ kind }, value, path) => (kind ? faultsOfRoles(kind, value, path) : {}),
  rows: ({ fields = [] }, value, path) =>
    Object.assign(
      {},
      ...rowsOf(value).map((row, i) => faultsOf(fields, row, `${path}.${String(i)}.`)),
    ) as FormFaults,
};

const isEmpty = (value: unknown): boolean => value === undefined || value === '';

function faultsOfRoles({ list }: Kind, value: unknown, path: string): FormFaults {
  const missing = entriesOf(value)
    .filter(isTyped)
    .find(({ isMissing }) => isMissing);
  return missing ? { [path]: texts.form.faults.unknownName(missing.name, wordsOf(list)) } : {};
}
