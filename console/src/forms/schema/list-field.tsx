import type { ComponentType } from 'react';
import { EntryList } from '../entry-list.js';
import type { SchemaFieldProps } from './schema-field-props.js';
import { beginningOf, type Shape } from './shape.js';

interface ListFieldProps extends SchemaFieldProps {
  readonly shape: Extract<Shape, { control: 'list' }>;
  readonly description: string | undefined;
  readonly Entry: ComponentType<SchemaFieldProps>;
}

/** Edits a list, each entry by the schema of the entries. */
export function ListField(props: ListFieldProps) {
  const { root, shape, label, description, value, path, faults, isRequired, change, Entry } = props;
  const entries = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return (
    <EntryList
      label={label}
      description={description}
      error={faults[path]}
      isRequired={isRequired}
      entries={entries}
      newEntry={() => beginningOf(root, shape.entry)}
      change={(changed) => {
        change(changed.length === 0 && !isRequired ? undefined : changed);
      }}
      render={(name, i, changeEntry) => (
        <Entry
          root={root}
          schema={shape.entry}
          label={name}
          isRequired
          value={entries[i]}
          path={`${path}.${String(i)}`}
          faults={faults}
          change={changeEntry}
        />
      )}
    />
  );
}
