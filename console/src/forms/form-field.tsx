import {
  Checkbox,
  NumberInput,
  PasswordInput,
  Select,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import type { Control, InputField } from '../description/inputs.js';
import { wordsOf, wordsOfValue } from '../description/names.js';
import { EntitySelect } from '../parts/entity-select.js';
import { TimeField } from '../parts/time-field.js';
import { ChoicesField } from './choices-field.js';
import { EntitiesField } from './entities-field.js';
import { EntryList } from './entry-list.js';
import { faultBelow, type FormFaults } from './faults.js';
import { isAwaited, rowsOf, valuesOf, type FormValues } from './form-values.js';
import { JsonField } from './json-field.js';
import { OptionalGroup } from './optional-group.js';
import { PermissionsField } from './permissions-field.js';
import { RolesField } from './roles-field.js';
import { DataField } from './schema/data-field.js';
import { entriesOf } from './typed-name.js';
import { ZoneField } from './zone-field.js';

interface FormFieldsProps {
  readonly fields: readonly InputField[];
  readonly values: FormValues;
  readonly faults: FormFaults;
  /** Of a group: its path with a point at the end. */
  readonly path?: string;
  readonly change: (values: FormValues) => void;
}

/** The fields of an input, with those of its groups. */
export function FormFields({ fields, values, faults, path = '', change }: FormFieldsProps) {
  return fields.map((field) => (
    <FormField
      key={field.name}
      field={field}
      value={values[field.name]}
      faults={faults}
      path={`${path}${field.name}`}
      change={(value) => {
        change({ ...values, [field.name]: value });
      }}
    />
  ));
}

interface FormFieldProps {
  readonly field: InputField;
  readonly value: unknown;
  readonly faults: FormFaults;
  readonly path: string;
  readonly change: (value: unknown) => void;
}

function FormField(props: FormFieldProps) {
  return BY_CONTROL[props.field.control](props);
}

/** The properties that most controls have. */
const shown = (props: FormFieldProps) => {
  const { isRequired, ...others } = named(props);
  return { ...others, withAsterisk: isRequired };
};

/** The same properties of our own controls. */
const named = ({ field, faults, path }: Pick<FormFieldProps, 'field' | 'faults' | 'path'>) => ({
  label: wordsOf(field.name),
  description: field.description,
  error: faults[path],
  isRequired: isAwaited(field),
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? (value as string[]) : []);

type Render = (props: FormFieldProps) => ReactNode;

const BY_CONTROL: Readonly<Record<Control, Render>> = {
  boolean: ({ field, value, change }) => (
    <Checkbox
      label={wordsOf(field.name)}
      description={field.description}
      checked={value === true}
      onChange={(event) => {
        change(event.currentTarget.checked);
      }}
    />
  ),
  choice: (props) => (
    <Select
      {...shown(props)}
      value={textOf(props.value) || null}
      data={Object.keys(props.field.choices ?? {}).map((value) => ({
        value,
        label: wordsOfValue(value),
      }))}
      clearable={!props.field.isRequired}
      onChange={(value) => {
        props.change(value ?? undefined);
      }}
    />
  ),
  choices: ({ value, change, ...props }) => (
    <ChoicesField
      {...named(props)}
      values={Object.keys(props.field.choices ?? {})}
      chosen={textsOf(value)}
      change={change}
    />
  ),
  clock: (props) => (
    <TextInput
      {...shown(props)}
      type="time"
      value={textOf(props.value)}
      onChange={(event) => {
        props.change(event.currentTarget.value);
      }}
    />
  ),
  entities: ({ value, change, ...props }) =>
    props.field.kind ? (
      <EntitiesField
        {...named(props)}
        kind={props.field.kind}
        ids={textsOf(value)}
        change={change}
      />
    ) : null,
  entity: ({ field, value, faults, path, change }) =>
    field.kind ? (
      <EntitySelect
        kind={field.kind}
        label={wordsOf(field.name.replace(/Id$/, ''))}
        description={field.description}
        error={faults[path]}
        isRequired={field.isRequired}
        value={textOf(value) || undefined}
        choose={change}
      />
    ) : null,
  group: (props) => <GroupField {...props} />,
  json: ({ field, value, faults, path, change }) =>
    field.schema ? (
      <DataField
        schema={field.schema}
        label={wordsOf(field.name)}
        description={field.description}
        value={value}
        path={path}
        faults={faults}
        change={change}
      />
    ) : (
      <JsonField
        label={wordsOf(field.name)}
        description={field.description}
        error={faultBelow(faults, path)}
        isRequired={field.isRequired}
        value={value}
        change={change}
      />
    ),
  long: (props) => (
    <Textarea
      {...shown(props)}
      value={textOf(props.value)}
      onChange={(event) => {
        props.change(event.currentTarget.value);
      }}
      autosize
      minRows={2}
      maxRows={12}
    />
  ),
  number: (props) => (
    <NumberInput
      {...shown(props)}
      value={typeof props.value === 'number' ? props.value : ''}
      onChange={(value) => {
        props.change(value === '' ? undefined : Number(value));
      }}
    />
  ),
  permissions: ({ value, change, ...props }) => (
    <PermissionsField {...named(props)} permissions={textsOf(value)} change={change} />
  ),
  roles: ({ value, change, ...props }) =>
    props.field.kind ? (
      <RolesField
        {...named(props)}
        kind={props.field.kind}
        entries={entriesOf(value)}
        names={props.field.names}
        change={change}
      />
    ) : null,
  rows: (props) => <RowsField {...props} />,
  secret: (props) => (
    <PasswordInput
      {...shown(props)}
      autoComplete="new-password"
      value={textOf(props.value)}
      onChange={(event) => {
        props.change(event.currentTarget.value);
      }}
    />
  ),
  text: (props) => (
    <TextInput
      {...shown(props)}
      disabled={props.field.isFixed === true}
      value={textOf(props.value)}
      onChange={(event) => {
        props.change(event.currentTarget.value);
      }}
    />
  ),
  texts: (props) => (
    <TagsInput
      {...shown(props)}
      value={textsOf(props.value)}
      onChange={props.change}
      splitChars={[',']}
      // The controller distinguishes capital letters.
      isDuplicate={(tag, tags) => tags.includes(tag)}
    />
  ),
  time: ({ field, value, faults, path, change }) => (
    <TimeField
      label={wordsOf(field.name)}
      description={field.description}
      error={faults[path]}
      isRequired={field.isRequired}
      value={textOf(value) || undefined}
      choose={change}
    />
  ),
  zone: ({ value, change, ...props }) => (
    <ZoneField {...named(props)} zone={textOf(value) || undefined} change={change} />
  ),
};

function GroupField({ field, value, faults, path, change }: FormFieldProps) {
  const { name, description, fields = [], isOptional = false, isFixed = false } = field;
  const isPresent = !isOptional || value !== undefined;
  return (
    <OptionalGroup
      label={wordsOf(name)}
      description={isPresent ? undefined : description}
      isPresent={isPresent}
      isRemovable={isOptional && !isFixed}
      add={() => {
        change(valuesOf(fields, {}));
      }}
      remove={() => {
        change(undefined);
      }}
    >
      <FormFields
        fields={fields}
        values={(value ?? {}) as FormValues}
        faults={faults}
        path={`${path}.`}
        change={change}
      />
    </OptionalGroup>
  );
}

/** A list of values with members: a row for each, whose cells are fields. */
function RowsField(props: FormFieldProps) {
  const { field, value, faults, path, change } = props;
  const rows = rowsOf(value);
  const fields = field.fields ?? [];
  const cells = fields.map((cell) => ({ ...cell, description: '' }));
  return (
    <EntryList
      {...named(props)}
      entries={rows}
      newEntry={() => valuesOf(fields, {})}
      change={change}
      render={(name, i, changeRow) => (
        <div className="cells" role="group" aria-label={name}>
          <FormFields
            // The first row explains the cells of all.
            fields={i === 0 ? fields : cells}
            values={rows[i] ?? {}}
            faults={faults}
            path={`${path}.${String(i)}.`}
            change={changeRow}
          />
        </div>
      )}
    />
  );
}
