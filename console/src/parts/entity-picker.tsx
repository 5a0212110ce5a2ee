import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { Kind } from '../description/description.js';
import { rowsOperation, type Row, type RowsVariables } from '../description/documents.js';
import { hasName } from '../description/fields.js';
import { useAnswer } from '../graph/use-answer.js';
import { texts } from '../texts.js';

interface EntityPickerProps {
  readonly kind: Kind;
  readonly label: string;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  /** The id of the chosen entity. */
  readonly value: string | undefined;
  readonly choose: (id: string | undefined) => void;
}

const OFFERED = 20;
const PAUSE_MS = 250;

/** Chooses an entity by a part of its name, which the controller looks for. */
export function EntityPicker(props: EntityPickerProps) {
  const { kind, value, choose, isRequired = false, label, description, error } = props;
  const [text, setText] = useState('');
  const { names, isLoading } = useOffered(kind, text, value);
  return (
    <Select
      searchable
      clearable={!isRequired}
      label={label}
      description={description}
      error={error}
      withAsterisk={isRequired}
      value={value ?? null}
      data={[...names].map(([id, name]) => ({ value: id, label: name }))}
      // The controller has filtered.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      onChange={(id) => {
        choose(id ?? undefined);
      }}
      nothingFoundMessage={isLoading ? texts.loading : texts.table.empty}
    />
  );
}

/** The names of the entities that a text finds, and of the chosen one. */
function useOffered(kind: Kind, text: string, chosen: string | undefined) {
  const [wanted] = useDebouncedValue(text, PAUSE_MS);
  const found = useAnswer(rowsOperation(kind, []), rowsWanted(kind, wanted));
  const one = useAnswer(
    rowsOperation(kind, []),
    { filter: `id = ${JSON.stringify(chosen ?? '')}`, sort: undefined, first: 1, offset: 0 },
    { when: chosen !== undefined },
  );
  const rows = [one, found].flatMap(({ data }) => data?.rows?.nodes ?? []);
  const names = new Map(rows.map((row) => [row.id, nameOf(row)]));
  if (chosen !== undefined && !names.has(chosen)) names.set(chosen, chosen);
  return { names, isLoading: found.isLoading };
}

const nameOf = ({ id, name }: Row): string => (typeof name === 'string' ? name : id);

function rowsWanted({ type }: Kind, text: string): RowsVariables {
  const field = hasName(type) ? 'name' : 'id';
  return {
    filter: text === '' ? undefined : `${field} icontains ${JSON.stringify(text)}`,
    sort: field,
    first: OFFERED,
    offset: 0,
  };
}
