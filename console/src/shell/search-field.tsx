import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SyntheticEvent } from 'react';
import { Icon } from '../parts/icon.js';
import { texts } from '../texts.js';

const ID = 'search';

/** Moves to the field from anywhere. */
export const focusSearch = (): void => document.getElementById(ID)?.focus();

/** Looks for a text in the entities of all kinds. */
export function SearchField() {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') void navigate({ to: '/search', search: { text: text.trim() } });
  };
  return (
    <form onSubmit={submit} className="search" role="search" aria-label={texts.shell.search}>
      <TextInput
        id={ID}
        type="search"
        aria-label={texts.shell.search}
        placeholder={texts.shell.search}
        leftSection={<Icon name="search" size={14} />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
      />
    </form>
  );
}
