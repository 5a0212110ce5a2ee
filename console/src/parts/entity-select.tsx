import { Select } from '@mantine/core';
import type { Kind } from '../description/description.js';
import { membersOperation } from '../description/documents.js';
import { useAnswer } from '../graph/use-answer.js';
import { texts } from '../texts.js';
import { useOffered, useSearchedList } from './use-offered.js';
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

/** Chooses an entity by a part of its name; the controller looks for it. */
export function EntitySelect(props: EntitySelectProps) {
  const { kind, label, description, error, isRequired = false, value, choose } = props;
  const { text, isOpen, control } = useSearchedList();
  const chosenName = useName(kind, value);
  const { rows, isLoading } = useOffered(kind, text === chosenName ? '' : text, isOpen);
  const others = rows
    .filter(({ id }) => id !== value)
    .map((row) => ({ value: row.id, label: textOfValue(row.name) }));
  return (
    <Select
      className="grow"
      label={label}
      description={description}
      error={error}
      withAsterisk={isRequired}
      placeholder={texts.select.placeholder}
      {...control}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': texts.select.clear(label) }}
      nothingFoundMessage={isLoading ? texts.loading : texts.select.nothing}
      data={value === undefined ? others : [{ value, label: chosenName }, ...others]}
      value={value ?? null}
      onChange={(id) => {
        choose(id ?? undefined);
      }}
    />
  );
}

/** The id stands for the name until that is known, and when the entity is gone. */
function useName(kind: Kind, id: string | undefined): string {
  const { data, failure } = useAnswer(
    membersOperation(kind, ['name']),
    { id: id ?? '' },
    { when: id !== undefined },
  );
  const entity = data?.entity;
  if (id !== undefined && failure?.code === 'NOT_FOUND') return texts.select.gone(id);
  return entity && entity.id === id ? textOfValue(entity.name) : (id ?? '');
}
