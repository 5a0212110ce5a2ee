import { Checkbox } from '@mantine/core';
import { wordsOfValue } from '../description/names.js';

interface ChoicesFieldProps {
  readonly label: string;
  readonly description: string | undefined;
  readonly error: string | undefined;
  readonly isRequired: boolean;
  /** All values, in their order. */
  readonly values: readonly string[];
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
}

/** Edits a list of some of a few values, which stays in the order of the values. */
export function ChoicesField({ values, chosen, change, isRequired, ...shown }: ChoicesFieldProps) {
  return (
    <Checkbox.Group
      {...shown}
      withAsterisk={isRequired}
      value={[...chosen]}
      onChange={(next) => {
        change(values.filter((value) => next.includes(value)));
      }}
    >
      <div className="row">
        {values.map((value) => (
          <Checkbox key={value} value={value} label={wordsOfValue(value)} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
