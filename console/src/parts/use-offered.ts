import type { OptionsFilter } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { Kind } from '../description/description.js';
import { isCalled, offeredOperation, type Row } from '../description/documents.js';
import { useAnswer } from '../graph/use-answer.js';

const MAX_OFFERED = 20;
const PAUSE_MS = 250;

const all: OptionsFilter = ({ options }) => options;

/** A list that opens below a field, and the text in the field that the controller looks for. */
export function useSearchedList() {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const control = {
    // The controller has chosen them already.
    filter: all,
    // A list that opens by itself would cover the fault of the field.
    openOnFocus: false,
    searchValue: text,
    onSearchChange: setText,
    onDropdownOpen: () => {
      setOpen(true);
    },
    onDropdownClose: () => {
      setOpen(false);
    },
  };
  return { text, isOpen, setOpen, control };
}

export interface Offered {
  readonly rows: readonly Row[];
  readonly isLoading: boolean;
}

/** The entities with a part of a name, after a pause in the typing; first those of this name or id. */
export function useOffered(kind: Kind, text: string, isOpen: boolean): Offered {
  const [wanted] = useDebouncedValue(text.trim(), PAUSE_MS);
  const { data, isLoading } = useAnswer(
    offeredOperation(kind),
    {
      exact: isCalled([wanted]),
      part: wanted === '' ? undefined : `name icontains ${JSON.stringify(wanted)}`,
      first: MAX_OFFERED,
    },
    { when: isOpen },
  );
  const rows = [...(data?.exact?.nodes ?? []), ...(data?.rows?.nodes ?? [])];
  return {
    rows: [...new Map(rows.map((row) => [row.id, row])).values()],
    isLoading: isLoading || wanted !== text.trim(),
  };
}
