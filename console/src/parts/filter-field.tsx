import { Autocomplete, Button } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import type { Kind } from '../description/description.js';
import { hasName } from '../description/fields.js';
import { filterExample } from '../description/filter-example.js';
import { texts } from '../texts.js';

interface FilterFieldProps {
  readonly kind: Kind;
  /** The field in which plain words are looked for. */
  readonly nameField?: string;
  /** Where a page has several: what it filters. */
  readonly label?: string;
  readonly filter: string | undefined;
  readonly setFilter: (filter: string | undefined) => void;
}

/** A condition in the filter language. Plain words are looked for in the names. */
export function FilterField(props: FilterFieldProps) {
  const { kind, filter, setFilter, label = texts.list.filter } = props;
  const nameField = props.nameField ?? (hasName(kind.type) ? 'name' : undefined);
  const [text, setText] = useState(filter ?? '');
  const [applied, setApplied] = useState(filter);
  // It has the condition of the address, and keeps the focus when that changes.
  if (applied !== filter) {
    setApplied(filter);
    setText(filter ?? '');
  }
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setFilter(conditionOf(nameField ?? 'id', text));
  };
  return (
    <form onSubmit={submit} className="row grow" role="search" aria-label={label}>
      <Autocomplete
        className="grow"
        aria-label={label}
        placeholder={filterExample(kind, nameField)}
        value={text}
        onChange={setText}
        data={completions(kind, text)}
        filter={({ options }) => options}
        limit={MAX_COMPLETIONS}
      />
      <Button type="submit" variant="default">
        {texts.list.apply}
      </Button>
      {filter === undefined ? null : (
        <Button
          variant="subtle"
          onClick={() => {
            setFilter(undefined);
          }}
        >
          {texts.list.all}
        </Button>
      )}
    </form>
  );
}

const MAX_COMPLETIONS = 12;

const PLAIN = /^[\p{L}\p{N} _.@-]+$/u;
const CONDITION = /\s(contains|icontains|in|between|not|and|or)\s|^(not|true|false|sort|limit)\b/i;

/** Words without an operator are a part of the name. */
function conditionOf(nameField: string, text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!PLAIN.test(trimmed) || CONDITION.test(trimmed)) return trimmed;
  return `${nameField} icontains "${trimmed}"`;
}

/** The names that continue the last word. */
function completions({ where }: Kind, text: string): string[] {
  const [word = ''] = /[\w.]*$/.exec(text) ?? [];
  if (word === '') return [];
  const before = text.slice(0, text.length - word.length);
  return where
    .filter((name) => name !== word && name.toLowerCase().startsWith(word.toLowerCase()))
    .map((name) => `${before}${name} `);
}
