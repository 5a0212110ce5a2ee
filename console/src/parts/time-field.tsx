import { TextInput } from '@mantine/core';
import { useState } from 'react';

interface TimeFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  /** In ISO 8601. */
  readonly value: string | undefined;
  readonly choose: (at: string | undefined) => void;
}

/** A time in the zone of the reader. It counts when the field is left or Enter is pressed. */
export function TimeField(props: TimeFieldProps) {
  const { label, description, error, isRequired = false, value, choose } = props;
  const [text, setText] = useState(localTime(value));
  const commit = (): void => {
    if (text !== localTime(value)) choose(instantOf(text));
  };
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      description={description}
      error={error}
      withAsterisk={isRequired}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
      }}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}

const MINUTE_MS = 60_000;

/** As the field writes it: `2026-03-01T09:30:00`, without a zone. */
function localTime(at: string | undefined): string {
  const time = at === undefined ? NaN : Date.parse(at);
  if (Number.isNaN(time)) return '';
  const offset = new Date(time).getTimezoneOffset() * MINUTE_MS;
  return new Date(time - offset).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}

function instantOf(text: string): string | undefined {
  const time = new Date(text);
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
