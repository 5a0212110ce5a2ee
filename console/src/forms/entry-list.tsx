import { Button, Input } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { texts } from '../texts.js';

interface EntryListProps {
  readonly label: string;
  readonly description: string | undefined;
  readonly error: string | undefined;
  readonly isRequired: boolean;
  readonly entries: readonly unknown[];
  readonly newEntry: () => unknown;
  readonly change: (entries: readonly unknown[]) => void;
  /** Renders an entry with its name, such as `Windows 2`. */
  readonly render: (name: string, index: number, change: (entry: unknown) => void) => ReactNode;
}

/** A list to which entries are added, and from which they are removed. */
export function EntryList(props: EntryListProps) {
  const { label, description, error, isRequired, entries, newEntry, change, render } = props;
  const { keys, add, remove } = useEntryKeys(entries.length);
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description}
      error={error}
      withAsterisk={isRequired}
    >
      <div className="stack tight" role="group" aria-label={label}>
        {entries.map((_, i) => (
          <div key={keys[i]} className="entry">
            {render(texts.form.entry(label, i + 1), i, (changed) => {
              change(entries.with(i, changed));
            })}
            <Button
              variant="subtle"
              color="red"
              aria-label={texts.form.takeOut(texts.form.entry(label, i + 1))}
              onClick={() => {
                remove(i);
                change(entries.filter((_other, other) => other !== i));
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
              change([...entries, newEntry()]);
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
function useEntryKeys(count: number) {
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
