import { Button, Input } from '@mantine/core';
import { useState, type ComponentType } from 'react';
import { texts } from '../../texts.js';
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
  const { keys, add, remove } = useKeys(entries.length);
  const error = faults[path];
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description}
      error={error}
      withAsterisk={isRequired}
    >
      <div className="stack tight" role="group" aria-label={label}>
        {entries.map((entry, i) => (
          <div key={keys[i]} className="entry">
            <Entry
              root={root}
              schema={shape.entry}
              label={texts.form.entry(label, i + 1)}
              isRequired
              value={entry}
              path={`${path}.${String(i)}`}
              faults={faults}
              change={(changed) => {
                change(entries.with(i, changed));
              }}
            />
            <Button
              variant="subtle"
              color="red"
              aria-label={texts.form.takeOut(texts.form.entry(label, i + 1))}
              onClick={() => {
                remove(i);
                const others = entries.filter((_, other) => other !== i);
                change(others.length === 0 && !isRequired ? undefined : others);
              }}
            >
              {texts.form.takeOutShort}
            </Button>
          </div>
        ))}
        <div>
          <Button
            variant="default"
            aria-label={texts.form.addTo(label)}
            onClick={() => {
              add();
              change([...entries, beginningOf(root, shape.entry)]);
            }}
          >
            {texts.form.add}
          </Button>
        </div>
      </div>
    </Input.Wrapper>
  );
}

/** Keys that stay with their entries when another one is removed. */
function useKeys(count: number) {
  const [{ keys, next }, setKeys] = useState({
    keys: Array.from({ length: count }, (_, i) => i),
    next: count,
  });
  const add = (): void => {
    setKeys({ keys: [...keys, next], next: next + 1 });
  };
  const remove = (index: number): void => {
    setKeys({ keys: keys.filter((_, i) => i !== index), next });
  };
  return { keys, add, remove };
}
