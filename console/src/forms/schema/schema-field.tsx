import {
  Checkbox,
  NumberInput,
  Select,
  TagsInput,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { wordsOf } from '../../description/names.js';
import { texts } from '../../texts.js';
import { faultBelow } from '../faults.js';
import { JsonField } from '../json-field.js';
import {
  BrokenJson,
  isObject,
  memberOf,
  textOfJson,
  withMember,
  type JsonObject,
} from '../json-value.js';
import { OptionalGroup } from '../optional-group.js';
import { ListField } from './list-field.js';
import type { SchemaFieldProps } from './schema-field-props.js';
import { beginningOf, canShow, shownPart, type Shape } from './shape.js';

/**
 * Edits a value by its JSON schema; as JSON where the form can not say what the schema does.
 *
 * Own code, of 5 kB gzipped with its checks: `@rjsf/core` 6.11.1 has 101 kB, and 145 kB with its validator,
 * which compiles each schema to code. The content security policy of the console forbids that.
 */
function SchemaField(props: SchemaFieldProps) {
  const { root, schema, value, faults, path, isRequired, change } = props;
  const part = shownPart(root, schema);
  const label = part.title ?? props.label;
  const { description } = part;
  if (part.isDeprecated && value === undefined) return null;
  if (part.shape.control === 'json' || !canShow(part, value)) {
    const error = faultBelow(faults, path);
    return <JsonField {...{ label, description, error, isRequired, value, change }} />;
  }
  return renderOf(part.shape)({ ...props, label, description, shape: part.shape });
}

interface ControlProps<S extends Shape = Shape> extends SchemaFieldProps {
  readonly shape: S;
  readonly description: string | undefined;
}

type ShapeOf<C extends Shape['control']> = Extract<Shape, { control: C }>;

type Render<S extends Shape> = (props: ControlProps<S>) => ReactNode;

type EditedControl = Exclude<Shape['control'], 'json'>;

/** The shape chooses its own control. */
const renderOf = (shape: ShapeOf<EditedControl>): Render<Shape> =>
  BY_CONTROL[shape.control] as Render<Shape>;

/** The properties that most controls have. */
const shown = ({ label, description, faults, path, isRequired }: ControlProps) => ({
  label,
  description,
  error: faultBelow(faults, path),
  withAsterisk: isRequired,
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? (value as string[]) : []);

/** An optional list without entries is left out. */
const entriesOr = (isRequired: boolean, entries: readonly string[]): unknown =>
  entries.length === 0 && !isRequired ? undefined : entries;

const BY_CONTROL: { readonly [C in EditedControl]: Render<ShapeOf<C>> } = {
  boolean: (props) => (
    <Choice {...props} values={[true, false]} words={{ true: texts.yes, false: texts.no }} />
  ),
  choice: (props) => <Choice {...props} values={props.shape.values} words={{}} />,
  choices: (props) => (
    <Checkbox.Group
      {...shown(props)}
      value={textsOf(props.value)}
      onChange={(entries) => {
        props.change(entriesOr(props.isRequired, entries));
      }}
    >
      <div className="row">
        {[...new Set([...props.shape.values, ...textsOf(props.value)])].map((value) => (
          <Checkbox key={value} value={value} label={value} />
        ))}
      </div>
    </Checkbox.Group>
  ),
  flag: ({ label, description, value, change }) => (
    <Checkbox
      label={label}
      description={description}
      checked={value === true}
      onChange={(event) => {
        change(event.currentTarget.checked ? true : undefined);
      }}
    />
  ),
  list: (props) => <ListField {...props} Entry={SchemaField} />,
  number: (props) => (
    <NumberInput
      {...shown(props)}
      value={typeof props.value === 'number' ? props.value : ''}
      allowDecimal={!props.shape.isInteger}
      onChange={(value) => {
        props.change(value === '' ? undefined : Number(value));
      }}
    />
  ),
  object: (props) => <ObjectField {...props} />,
  text: (props) => (
    <TextInput
      {...shown(props)}
      value={textOf(props.value)}
      onChange={({ currentTarget: { value } }) => {
        props.change(value === '' ? undefined : value);
      }}
    />
  ),
  texts: (props) => (
    <TagsInput
      {...shown(props)}
      value={textsOf(props.value)}
      onChange={(entries) => {
        props.change(entriesOr(props.isRequired, entries));
      }}
      splitChars={[...props.shape.separators]}
    />
  ),
};

interface ChoiceProps extends ControlProps {
  readonly values: readonly unknown[];
  /** By the JSON of the value. */
  readonly words: Readonly<Record<string, string>>;
}

function Choice({ values, words, ...props }: ChoiceProps) {
  const { value, isRequired, change } = props;
  const data = [...values, ...(value === undefined ? [] : [value])].map((each) => {
    const text = JSON.stringify(each);
    return { value: text, label: words[text] ?? (typeof each === 'string' ? each : text) };
  });
  return (
    <Select
      {...shown(props)}
      data={[...new Map(data.map((each) => [each.value, each])).values()]}
      value={value === undefined ? null : JSON.stringify(value)}
      clearable={!isRequired}
      onChange={(text) => {
        change(text === null ? undefined : (JSON.parse(text) as unknown));
      }}
    />
  );
}

function ObjectField(props: ControlProps<ShapeOf<'object'>>) {
  const { root, schema, label, description, value, faults, path, isRequired, change } = props;
  return (
    <OptionalGroup
      label={label}
      description={description}
      error={faults[path]}
      isPresent={value !== undefined}
      isRemovable={!isRequired}
      add={() => {
        change(beginningOf(root, schema) ?? {});
      }}
      remove={() => {
        change(undefined);
      }}
    >
      <ObjectMembers {...props} />
    </OptionalGroup>
  );
}

type ObjectMembersProps = Omit<SchemaFieldProps, 'label' | 'isRequired' | 'schema'> & {
  readonly shape: ShapeOf<'object'>;
};

/** The member in whose place the text of the other members is while it is no JSON. */
const UNFINISHED = '';

/** The members that the schema names, and the others together as JSON. */
export function ObjectMembers({ root, shape, value, path, faults, change }: ObjectMembersProps) {
  const { members, isOpen, requiredIn } = shape;
  const required = requiredIn(value);
  const named = new Set(members.map(([name]) => name));
  const entries = Object.entries(isObject(value) ? value : {});
  const others = entries.filter(([name]) => !named.has(name));
  return (
    <>
      {members.map(([name, schema]) => (
        <SchemaField
          key={name}
          root={root}
          schema={schema}
          label={wordsOf(name)}
          isRequired={required.has(name)}
          value={memberOf(value, name)}
          path={`${path}.${name}`}
          faults={faults}
          change={(member) => {
            change(withMember(value, name, member));
          }}
        />
      ))}
      {isOpen || others.length > 0 ? (
        <OtherMembers
          members={Object.fromEntries(others)}
          error={faults[`${path}.${UNFINISHED}`]}
          change={(changed) => {
            const namedEntries = entries.filter(([name]) => named.has(name));
            change({ ...Object.fromEntries(namedEntries), ...changed });
          }}
        />
      ) : null}
    </>
  );
}

interface OtherMembersProps {
  readonly members: JsonObject;
  readonly error: string | undefined;
  readonly change: (members: JsonObject) => void;
}

/** Members without a field of their own. */
function OtherMembers({ members, error, change }: OtherMembersProps) {
  return (
    <JsonField
      label={texts.form.otherMembers}
      error={error}
      isRequired={false}
      value={Object.keys(members).length === 0 ? undefined : members}
      change={(value) => {
        const isUsable = value === undefined || isObject(value);
        change(isUsable ? (value ?? {}) : { [UNFINISHED]: new BrokenJson(textOfJson(value)) });
      }}
    />
  );
}
