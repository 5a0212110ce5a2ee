import { JsonInput } from '@mantine/core';
import { useState } from 'react';
import { textOfJson, valueOfText } from './json-value.js';

interface JsonFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly isRequired: boolean;
  /** A value of any form, or the text of one that is not finished. */
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

/** Edits a value as JSON. It keeps the text as it is typed. */
export function JsonField(props: JsonFieldProps) {
  const { label, description, error, isRequired, value, change } = props;
  const [text, setText] = useState(() => textOfJson(value));
  return (
    <JsonInput
      label={label}
      description={description}
      error={error}
      withAsterisk={isRequired}
      value={text}
      onChange={(next) => {
        setText(next);
        change(valueOfText(next));
      }}
      autosize
      minRows={2}
      maxRows={20}
    />
  );
}
