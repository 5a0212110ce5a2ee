import { Button, Fieldset, Input } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts.js';

interface OptionalGroupProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly isPresent: boolean;
  readonly isRemovable: boolean;
  readonly add: () => void;
  readonly remove: () => void;
  /** The fields of a group that is present. */
  readonly children: ReactNode;
}

/** Fields that belong together; an optional group is there from "Add" to "Remove". */
export function OptionalGroup(props: OptionalGroupProps) {
  const { label, description, error, isPresent, isRemovable, add, remove, children } = props;
  return (
    <Fieldset legend={label}>
      <div className="stack">
        {description === undefined ? null : <div className="dim">{description}</div>}
        {error === undefined ? null : <Input.Error>{error}</Input.Error>}
        {isPresent ? (
          children
        ) : (
          <div>
            <Button variant="default" aria-label={texts.form.addTo(label)} onClick={add}>
              {texts.form.add}
            </Button>
          </div>
        )}
        {isPresent && isRemovable ? (
          <div>
            <Button
              variant="subtle"
              color="red"
              aria-label={texts.form.takeOut(label)}
              onClick={remove}
            >
              {texts.form.takeOutShort}
            </Button>
          </div>
        ) : null}
      </div>
    </Fieldset>
  );
}
