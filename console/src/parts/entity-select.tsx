import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { Kind } from '../description/description.js';
import { membersOperation, rowsOperation } from '../description/documents.js';
import { useAnswer } from '../graph/use-answer.js';
import { texts } from '../texts.js';
import { textOfValue } from './value.js';

interface EntitySelectProps {
  readonly kind: Kind;
  readonly label: string;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  /** The id of the chosen entity. */
  readonly value: string | undefined;
  readonly choose: (id: string | undefined) => void;
}

const MOST_OFFERED = 20;
const PAUSE_MS = 250;

/** Chooses an entity by a part of its name; the controller looks for it. */
export function EntitySelect(props: EntitySelectProps) {
  const { kind, label, description, error, isRequired = false, value, choose } = props;
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const chosenName = useName(kind, value);
  const { options, isLoading } = useOffered(kind, text === chosenName ? '' : text, isOpen);
  const others = options.filter((option) => option.value !== value);
  return (
    <Select
      className="grow"
      label={label}
      description={description}
      error={error}
      withAsterisk={isRequired}
      placeholder={texts.select.placeholder}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': texts.select.clear(label) }}
      nothingFoundMessage={isLoading ? texts.loading : texts.select.nothing}
      data={value === undefined ? others : [{ value, label: chosenName }, ...others]}
      // The controller has chosen them already.
      filter={({ options: all }) => all}
      value={value ?? null}
      onChange={(id) => {
        choose(id ?? undefined);
      }}
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => {
        setOpen(true);
      }}
      onDropdownClose={() => {
        setOpen(false);
      }}
    />
  );
}

/** The id stands for the name until that is known. */
function useName(kind: Kind, id: string | undefined): string {
  const { data } = useAnswer(
    membersOperation(kind, ['name']),
    { id: id ?? '' },
    { when: id !== undefined },
  );
  const entity = data?.entity;
  return entity && entity.id === id ? textOfValue(entity.name) : (id ?? '');
}

interface Offered {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly isLoading: boolean;
}

/** The entities with a part of a name, after a pause in the typing. */
function useOffered(kind: Kind, text: string, isOpen: boolean): Offered {
  const [wanted] = useDebouncedValue(text.trim(), PAUSE_MS);
  const { data, isLoading } = useAnswer(
    rowsOperation(kind, []),
    {
      filter: wanted === '' ? undefined : `name icontains ${JSON.stringify(wanted)}`,
      sort: 'name',
      first: MOST_OFFERED,
      offset: 0,
    },
    { when: isOpen },
  );
  const rows = data?.rows?.nodes ?? [];
  return {
    options: rows.map((row) => ({ value: row.id, label: textOfValue(row.name) })),
    isLoading: isLoading || wanted !== text.trim(),
  };
}
