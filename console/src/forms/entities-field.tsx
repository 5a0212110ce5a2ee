import { MultiSelect } from '@mantine/core';
import { useState } from 'react';
import type { Kind } from '../description/description.js';
import { labelOf } from '../description/fields.js';
import { useNames } from '../parts/use-names.js';
import { useOffered, useSearchedList } from '../parts/use-offered.js';
import { texts } from '../texts.js';

interface EntitiesFieldProps {
  readonly kind: Kind;
  readonly label: string;
  readonly description: string;
  readonly error: string | undefined;
  readonly isRequired: boolean;
  readonly ids: readonly string[];
  readonly change: (ids: readonly string[]) => void;
}

/** Edits a list of entities by their names. */
export function EntitiesField({ kind, ids, change, isRequired, ...shown }: EntitiesFieldProps) {
  const { text, isOpen, control } = useSearchedList();
  const { rows, isLoading } = useOffered(kind, text, isOpen);
  const namingOf = useNames(ids.map((id) => ({ type: kind.type, id })));
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  const labelOfId = (id: string): string => {
    const naming = namingOf({ type: kind.type, id });
    if (naming.is === 'gone') return texts.select.gone(id);
    return naming.is === 'named' ? labelOf(kind.type, naming.entity) : (known.get(id) ?? id);
  };
  const others = rows
    .filter(({ id }) => !ids.includes(id))
    .map((row) => ({ value: row.id, label: labelOf(kind.type, row) }));
  return (
    <MultiSelect
      {...shown}
      withAsterisk={isRequired}
      placeholder={texts.select.placeholder}
      {...control}
      searchable
      hidePickedOptions
      nothingFoundMessage={isLoading ? texts.loading : texts.select.nothing}
      data={[...ids.map((id) => ({ value: id, label: labelOfId(id) })), ...others]}
      value={[...ids]}
      onChange={(next) => {
        setKnown(new Map([...known, ...others.map(({ value, label }) => [value, label] as const)]));
        change(next);
      }}
    />
  );
}
